package dev.pheromone.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Receipt;
import dev.pheromone.Selection;
import dev.pheromone.Settlement;
import dev.pheromone.Transport;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.address.Reach;
import dev.pheromone.envelope.Consent;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.Priority;
import dev.pheromone.selection.Waiting;
import dev.pheromone.testkit.FakeClock;
import dev.pheromone.testkit.MemoryTransport;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// Mail that may not go out is passed over, without harm to what may.
final class HandOutTest {

    private static final Domain OPS = Domain.parse("ops");

    /// Counts how often it is looked at.
    private static final class Counted implements Inbox {

        private final Inbox inbox;
        private int looks;
        private int counts;

        Counted(Inbox inbox) {
            this.inbox = inbox;
        }

        @Override
        public Domain domain() {
            return inbox.domain();
        }

        @Override
        public List<Waiting> waiting() throws IOException {
            looks++;
            return inbox.waiting();
        }

        @Override
        public int depth() {
            counts++;
            return 4_300;
        }

        @Override
        public Selection select(Actor worker, Lease lease) throws IOException {
            return inbox.select(worker, lease);
        }

        @Override
        public void await(Duration timeout) throws IOException, InterruptedException {
            inbox.await(timeout);
        }

        @Override
        public Settlement renew(String claim) throws IOException {
            return inbox.renew(claim);
        }

        @Override
        public Settlement settle(String claim, Outcome outcome) throws IOException {
            return inbox.settle(claim, outcome);
        }
    }

    private final FakeClock clock = new FakeClock(Instant.parse("2025-10-15T17:10:00Z"));
    private final MemoryTransport mail = new MemoryTransport(clock, OPS);

    private void send(Consent consent, Priority priority) throws Exception {
        mail.send(
                Envelope.draft(
                                Actor.parse("ada"),
                                List.of(Address.parse("queen://ops")),
                                Lane.OPS,
                                "deploy")
                        .ts(clock.instant())
                        .consent(consent)
                        .priority(priority)
                        .body("now\n")
                        .seal());
    }

    private Counted inbox() throws Exception {
        return new Counted(mail.inbox(OPS));
    }

    /// A hive whose only inbox is counted.
    private record Hive(Counted inbox, MemoryTransport mail) implements Transport {

        @Override
        public Reach reach() {
            return mail.reach();
        }

        @Override
        public Receipt send(Envelope envelope) throws NoSuchInboxException {
            return mail.send(envelope);
        }

        @Override
        public List<Domain> domains() {
            return mail.domains();
        }

        @Override
        public Inbox inbox(Domain domain) {
            return inbox;
        }

        @Override
        public void close() {}
    }

    @Test
    void howMuchWaitsIsCountedOnceASecondAndNotListed(@TempDir Path root) throws Exception {
        Counted inbox = inbox();
        try (ServedHive hive = new ServedHive(root);
                HttpEndpoint endpoint = hive.serve(new Hive(inbox, mail), options -> options);
                HttpClient client = HttpClient.newHttpClient()) {
            HttpRequest request =
                    HttpRequest.newBuilder(endpoint.url().resolve("/v1/status"))
                            .header("Authorization", "Bearer " + ServedHive.TOKEN)
                            .build();
            long began = System.nanoTime();
            for (int i = 0; i < 50; i++) {
                HttpResponse<String> answer =
                        client.send(request, HttpResponse.BodyHandlers.ofString());
                assertThat(answer.body()).contains("\"waiting\":4300");
            }
            long seconds = Duration.ofNanos(System.nanoTime() - began).toSeconds();
            assertThat(inbox.looks).isZero();
            assertThat(inbox.counts).isBetween(1, (int) seconds + 1);
        }
    }

    @Test
    void whoWaitsWhereAllIsForOthersLooksSeldom(@TempDir Path root) throws Exception {
        send(Consent.PRIVATE, Priority.P0);
        Counted inbox = inbox();
        try (ServedHive hive = new ServedHive(root);
                HttpEndpoint endpoint = hive.serve(new Hive(inbox, mail), options -> options);
                HttpClient client = HttpClient.newHttpClient()) {
            HttpRequest request =
                    HttpRequest.newBuilder(endpoint.url().resolve("/v1/inboxes/ops/select"))
                            .header("Authorization", "Bearer " + ServedHive.TOKEN)
                            .header("Content-Type", "application/json")
                            .POST(
                                    HttpRequest.BodyPublishers.ofString(
                                            "{\"worker\":\"w1\",\"wait_s\":1.5}"))
                            .build();
            assertThat(client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode())
                    .isEqualTo(204);
            assertThat(inbox.looks).isLessThan(10);
        }
    }

    @Test
    void whyAFileIsNotMailIsNotTold(@TempDir Path root) throws Exception {
        try (ServedHive hive = new ServedHive(root)) {
            byte[] mail = hive.mail("salary-topic").consent(Consent.PRIVATE).seal().bytes();
            Files.writeString(
                    hive.layout.inbox(ServedHive.CODE).resolve("mistyped.md"),
                    new String(mail, StandardCharsets.UTF_8)
                            .replaceFirst("(?m)^priority: .*", "priority: salary-90000"));
            ServedHive.Answer answer = hive.get("/v1/inboxes/code");
            assertThat(answer.body())
                    .contains("\"bad\":true")
                    .contains("can't be read as mail")
                    .doesNotContain("salary");
        }
    }
}
