package dev.pheromone.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.SendResult;
import dev.pheromone.State;
import dev.pheromone.address.Lane;
import dev.pheromone.address.Reach;
import dev.pheromone.config.TrustYaml;
import dev.pheromone.envelope.Consent;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.Priority;
import dev.pheromone.http.HttpOptions;
import dev.pheromone.http.HttpTransport;
import dev.pheromone.testkit.FakeClock;
import dev.pheromone.testkit.TransportContract;
import dev.pheromone.text.Json;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/// Public mail is looked through by the server, and by clients before it leaves.
final class PublicMailOverHttpTest {

    @TempDir Path root;
    private ServedHive hive;

    @BeforeEach
    void serve() throws Exception {
        hive = new ServedHive(root);
    }

    @AfterEach
    void close() throws IOException {
        hive.close();
    }

    @Test
    void publicMailThatHoldsASecretIs422WithTheKindsAndNotStored() throws Exception {
        ServedHive.Answer answer =
                hive.send(hive.mail("t").consent(Consent.PUBLIC).body("hunter2\n").seal());
        assertThat(answer.status()).isEqualTo(422);
        assertThat(answer.code()).isEqualTo("not_public");
        assertThat(answer.json().texts("kinds")).containsExactly("password");
        assertThat(answer.body()).doesNotContain("hunter2");
        assertThat(hive.states()).isEmpty();
    }

    @Test
    void aClientWithoutACheckLetsNoPublicMailLeave() throws Exception {
        Envelope open = hive.mail("open").consent(Consent.PUBLIC).seal();
        try (HttpTransport unchecked =
                new HttpTransport(
                        HttpOptions.of(hive.endpoint.url()).withToken(ServedHive.TOKEN))) {
            assertThat(unchecked.send(open).copies().getFirst().result())
                    .isInstanceOf(SendResult.NotPublic.class);
        }
        assertThat(hive.states()).isEmpty();
    }

    /// The public reaches the server, and files are put into an inbox by hand.
    @Nested
    final class WhereThePublicReaches {

        @TempDir Path open;
        private ServedHive served;

        @BeforeEach
        void serve() throws Exception {
            Path trust = Files.createDirectory(open.resolve(".deia")).resolve("trust.yaml");
            Files.write(trust, TrustYaml.write(TransportContract.TRUST));
            served =
                    new ServedHive(
                            open,
                            new FakeClock(Instant.now()),
                            options -> options.withReach(Reach.PUBLIC));
        }

        @AfterEach
        void close() throws IOException {
            served.close();
        }

        private Envelope put(Envelope envelope) throws Exception {
            Path file = served.layout.mail(ServedHive.CODE, envelope.id());
            Files.write(file, envelope.bytes());
            return envelope;
        }

        private Envelope signed(Priority priority, String body) {
            return TransportContract.KEY.sign(
                    Envelope.draft(
                                    TransportContract.SIGNER,
                                    List.of(ServedHive.CODE.address()),
                                    Lane.CODE,
                                    "release notes")
                            .ts(served.clock.instant())
                            .consent(Consent.PUBLIC)
                            .priority(priority)
                            .body(body)
                            .seal());
        }

        private int read(Envelope envelope) throws Exception {
            return served.get("/v1/envelopes/" + envelope.id().text()).status();
        }

        private List<String> listed() throws Exception {
            return served.get("/v1/inboxes/code").json().list("items").stream()
                    .map(item -> ((Json.Obj) item).text("id"))
                    .toList();
        }

        private ServedHive.Answer select() throws Exception {
            return served.post("/v1/inboxes/code/select", Json.obj().put("worker", "w1"));
        }

        @Test
        void mailThatHoldsASecretIsNotShownAndStays() throws Exception {
            Envelope secret = put(signed(Priority.P2, "hunter2\n"));
            assertThat(read(secret)).isEqualTo(404);
            assertThat(served.get("/v1/envelopes/" + secret.id().text() + "?inbox=code").status())
                    .isEqualTo(404);
            assertThat(listed()).isEmpty();
            assertThat(select().status()).isEqualTo(204);
            assertThat(select().status()).isEqualTo(204);
            assertThat(served.states()).containsExactly(State.WAITING);
        }

        @Test
        void mailBehindItIsHandedOut() throws Exception {
            Envelope secret = put(signed(Priority.P0, "hunter2\n"));
            Envelope clean = put(signed(Priority.P2, "all is well\n"));
            assertThat(listed()).containsExactly(clean.id().text());
            assertThat(read(clean)).isEqualTo(200);
            assertThat(select().body()).contains(clean.id().text());
            assertThat(select().status()).isEqualTo(204);
            assertThat(read(secret)).isEqualTo(404);
        }

        @Test
        void unsignedMailIsNotShown() throws Exception {
            Envelope unsigned = put(served.mail("unsigned").consent(Consent.PUBLIC).seal());
            assertThat(read(unsigned)).isEqualTo(404);
            assertThat(listed()).isEmpty();
            assertThat(select().status()).isEqualTo(204);
            assertThat(served.states()).containsExactly(State.DEAD);
            assertThat(read(unsigned)).isEqualTo(404);
        }
    }
}
