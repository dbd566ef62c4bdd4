package dev.pheromone.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Receipt;
import dev.pheromone.Selection;
import dev.pheromone.SendResult;
import dev.pheromone.Settlement;
import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.address.Reach;
import dev.pheromone.envelope.Consent;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.http.HttpOptions;
import dev.pheromone.http.HttpTransport;
import dev.pheromone.http.ReceiptJson;
import dev.pheromone.lock.LockFiles;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.text.Json;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// The statuses of interface and receipt agree, and nothing goes beyond its consent.
final class MailOverHttpTest {

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
    void newMailIs201AndTheSameAgain200() throws Exception {
        Envelope envelope = hive.mail("once").seal();
        assertThat(hive.send(envelope).status()).isEqualTo(201);

        ServedHive.Answer again = hive.send(envelope);
        assertThat(again.status()).isEqualTo(200);
        assertThat(again.body()).contains("\"duplicate\"").doesNotContain(root.toString());
        assertThat(hive.states()).containsExactly(State.WAITING);
    }

    @Test
    void whatIsKnownOrRefusedIsNoNews() throws Exception {
        EnvelopeId id = EnvelopeId.random(hive.clock.instant());
        Envelope envelope = hive.mail("first").id(id).seal();
        hive.send(envelope);
        hive.send(envelope);
        hive.send(hive.mail("second").id(id).seal());
        assertThat(Files.readString(hive.layout.log()).lines())
                .filteredOn(line -> line.contains("pheromone_drop"))
                .singleElement()
                .satisfies(line -> assertThat(line).contains("first"));
    }

    @Test
    void howWorkEndedIsToldInTheNameOfWhoDidIt() throws Exception {
        hive.send(hive.mail("one").seal());
        hive.post("/v1/claims/" + hive.take() + "/release", Json.obj());
        hive.post("/v1/claims/" + hive.take() + "/ack", Json.obj().put("status", "done"));
        assertThat(Files.readString(hive.layout.log()).lines())
                .filteredOn(line -> line.contains("worker_ack") || line.contains("envelope_return"))
                .hasSize(2)
                .allSatisfy(line -> assertThat(line).contains("\"actor\":\"w1\""));
    }

    @Test
    void anotherEnvelopeOfTheSameIdIs409() throws Exception {
        EnvelopeId id = EnvelopeId.random(hive.clock.instant());
        hive.send(hive.mail("first").id(id).seal());
        ServedHive.Answer answer = hive.send(hive.mail("second").id(id).seal());
        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.code()).isEqualTo("conflict");
    }

    @Test
    void malformedMailIs422WithLineAndField() throws Exception {
        String text =
                new String(hive.mail("x").seal().bytes(), StandardCharsets.UTF_8)
                        .replaceFirst("priority: .*", "priority: P9");
        ServedHive.Answer answer =
                hive.post("/v1/envelopes", "text/markdown", text.getBytes(StandardCharsets.UTF_8));
        assertThat(answer.status()).isEqualTo(422);
        assertThat(answer.json().text("field")).isEqualTo("priority");
        assertThat(answer.json().number("line")).isPositive();
        assertThat(answer.response().headers().firstValue("Content-Type"))
                .contains("application/problem+json");
    }

    @Test
    void aBodyOfAnotherHashIs422() throws Exception {
        String text = new String(hive.mail("x").seal().bytes(), StandardCharsets.UTF_8) + "more\n";
        ServedHive.Answer answer =
                hive.post("/v1/envelopes", "text/markdown", text.getBytes(StandardCharsets.UTF_8));
        assertThat(answer.status()).isEqualTo(422);
        assertThat(hive.states()).isEmpty();
    }

    @Test
    void tooMuchIs413AndTheWrongTypeIs415() throws Exception {
        assertThat(hive.post("/v1/envelopes", "text/markdown", new byte[200_000]).status())
                .isEqualTo(413);
        assertThat(hive.post("/v1/envelopes", "text/plain", new byte[10]).status()).isEqualTo(415);
    }

    @Test
    void anUnknownRecipientIs404WithTheInboxesThatThereAre() throws Exception {
        Envelope envelope =
                Envelope.draft(
                                Actor.parse("ada"),
                                List.of(Address.parse("queen://cdoe")),
                                Lane.CODE,
                                "typo")
                        .ts(hive.clock.instant())
                        .seal();
        ServedHive.Answer answer = hive.send(envelope);
        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.json().texts("known")).contains("code", "docs");
    }

    @Test
    void mailForOthersIsSaidNotToBeAddressedToAnInbox() throws Exception {
        ServedHive.Answer answer =
                hive.post(
                        "/v1/envelopes?inbox=docs",
                        "text/markdown",
                        hive.mail("for code").seal().bytes());
        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.json().text("detail"))
                .isEqualTo("the envelope is not addressed to queen://docs");
    }

    @ParameterizedTest
    @ValueSource(strings = {"lane-x", "user-", "worker-", "Code"})
    void anInboxThatNoAddressNamesIsNotMade(String name) throws Exception {
        ServedHive.Answer answer =
                hive.call(
                        hive.request("/v1/inboxes/" + name)
                                .PUT(HttpRequest.BodyPublishers.noBody())
                                .build());
        assertThat(answer.status()).isEqualTo(404);
        assertThat(hive.layout.hive().resolve("inbox").resolve(name)).doesNotExist();
        assertThat(hive.get("/v1/status").status()).isEqualTo(200);
    }

    @Test
    void whatIsReleasedWithAPauseIsHandedOutAfterIt() throws Exception {
        hive.send(hive.mail("later").seal());
        String claim = hive.take();
        hive.post("/v1/claims/" + claim + "/release", Json.obj().put("pause_s", 60));
        assertThat(hive.post("/v1/inboxes/code/select", Json.obj().put("worker", "w1")).status())
                .isEqualTo(204);
        hive.clock.advance(Duration.ofSeconds(61));
        assertThat(hive.take()).isNotEqualTo(claim);
    }

    @Test
    void whoSendsTooMuchIs429WithATimeToComeBack() throws Exception {
        ServedHive.Answer answer = hive.send(hive.mail("0").seal());
        for (int i = 1; i < 70 && answer.status() == 201; i++) {
            answer = hive.send(hive.mail(String.valueOf(i)).seal());
        }
        assertThat(answer.status()).isEqualTo(429);
        assertThat(answer.response().headers().firstValueAsLong("Retry-After").orElse(0))
                .isPositive();
        assertThat(answer.code()).isEqualTo("refused");
    }

    private List<Json.Obj> acknowledged() throws Exception {
        List<Json.Obj> found = new ArrayList<>();
        for (String line : hive.get("/rse/feed").body().lines().toList()) {
            Json.Obj event = (Json.Obj) Json.parse(line);
            if (event.optionalText("type").orElse("").equals("worker_ack")) {
                found.add(event);
            }
        }
        return found;
    }

    @Test
    void workThatIsTakenOnOverHttpIsInTheLogWithItsNote() throws Exception {
        hive.send(hive.mail("long").seal());
        String claim = "/v1/claims/" + hive.take();
        Json.Obj accepted = Json.obj().put("status", "accepted");
        hive.post(claim + "/ack", accepted.put("note", "on it"));
        hive.post(claim + "/ack", accepted.put("heartbeat", true));
        assertThat(acknowledged()).hasSize(1);
        Json.Obj event = acknowledged().getFirst();
        assertThat(event.text("actor")).isEqualTo("w1");
        assertThat(event.object("data").text("status")).isEqualTo("accepted");
        assertThat(event.object("data").text("notes")).isEqualTo("on it");
        assertThat(event.object("data").text("consent")).isEqualTo("team");
        assertThat(event.object("data").number("attempt")).isEqualTo(1);
    }

    @Test
    void aWorkerThatStaysRenewsWithoutAWord() throws Exception {
        hive.send(hive.mail("long").seal());
        try (HttpTransport transport = hive.transport()) {
            Inbox inbox = transport.inbox(ServedHive.CODE);
            Selection selection =
                    inbox.select(Actor.parse("w2"), Lease.unattended(Duration.ofMinutes(5)));
            String token = ((Selection.Taken) selection).claim().token();
            assertThat(inbox.renew(token)).isInstanceOf(Settlement.Renewed.class);
            assertThat(acknowledged()).isEmpty();
            assertThat(inbox.accept(token, "on it")).isInstanceOf(Settlement.Renewed.class);
            assertThat(acknowledged()).hasSize(1);
        }
    }

    @Test
    void whatALockKeepsFromClientsIsToldOnce() throws Exception {
        hive.lock();
        for (String path : List.of("/v1/inboxes/code", "/v1/status", "/v1/inboxes/code")) {
            assertThat(hive.get(path).status()).isEqualTo(423);
        }
        assertThat(hive.files.embargo().events())
                .extracting(RseEvent::type)
                .containsExactly("policy_guard");
    }

    @Test
    void underALockMailIsKeptAndNothingIsGivenOut() throws Exception {
        hive.send(hive.mail("before").seal());
        String claim = hive.take();
        hive.lock();

        ServedHive.Answer kept = hive.send(hive.mail("meanwhile").seal());
        assertThat(kept.status()).isEqualTo(202);
        assertThat(kept.body()).contains("\"advisory\"").doesNotContain(".embargo");
        for (String path : List.of("/v1/inboxes", "/v1/inboxes/code", "/v1/status", "/rse/feed")) {
            ServedHive.Answer answer = hive.get(path);
            assertThat(answer.status()).as(path).isEqualTo(423);
            assertThat(answer.code()).isEqualTo("withheld");
            assertThat(answer.body()).doesNotContain(root.toString());
        }
        assertThat(hive.get("/rse/sse").status()).isEqualTo(423);
        assertThat(hive.post("/v1/inboxes/code/select", Json.obj().put("worker", "w1")).status())
                .isEqualTo(423);
        assertThat(claim).startsWith("code.");
        try (HttpTransport transport = hive.transport()) {
            assertThat(transport.send(hive.mail("more").seal()).copies().getFirst().result())
                    .isInstanceOfSatisfying(
                            SendResult.Withheld.class,
                            withheld -> assertThat(withheld.embargo()).isNotEmpty());
            assertThatThrownBy(transport::domains).isInstanceOf(WithheldException.class);
        }
    }

    @Test
    void howWorkEndedUnderALockIsKeptAndAppliedAfterIt() throws Exception {
        hive.send(hive.mail("before").seal());
        String claim = "/v1/claims/" + hive.take();
        hive.lock();

        ServedHive.Answer kept = hive.post(claim + "/ack", Json.obj().put("status", "done"));

        assertThat(kept.status()).isEqualTo(202);
        assertThat(kept.json().text("state")).isEqualTo("advisory");
        Files.delete(hive.layout.hive().resolve(LockFiles.HIVE_LOCK));
        hive.files.embargo().bringHome();
        assertThat(hive.states()).containsExactly(State.DONE);
    }

    @Test
    void privateMailIsNeitherShownNorGivenOutNorTaken() throws Exception {
        hive.files.send(hive.mail("secret").consent(Consent.PRIVATE).seal());
        hive.files.send(hive.mail("shared").seal());

        assertThat(hive.get("/v1/inboxes/code").body()).contains("shared").doesNotContain("secret");
        assertThat(hive.take()).isNotEmpty();
        assertThat(
                        hive.post(
                                        "/v1/inboxes/code/select",
                                        Json.obj().put("worker", "w1").put("wait_s", 0.5))
                                .status())
                .isEqualTo(204);
        assertThat(hive.states()).containsExactly(State.WAITING, State.ACTIVE);
        ServedHive.Answer answer = hive.send(hive.mail("mine").consent(Consent.PRIVATE).seal());
        assertThat(answer.status()).isEqualTo(403);
        assertThat(answer.code()).isEqualTo("beyond_consent");
        Receipt receipt = ReceiptJson.read(answer.json(), "there");
        assertThat(receipt.copies())
                .extracting(Receipt.Copy::result)
                .containsExactly(new SendResult.BeyondConsent(Consent.PRIVATE, Reach.TEAM));
    }

    @Test
    void whoHadToWaitIsToldHowLongAndWhy() throws Exception {
        hive.send(hive.mail("nobody works here").seal());
        hive.clock.advance(Duration.ofHours(2));
        for (int i = 0; i < 5; i++) {
            assertThat(hive.send(hive.mail("quick").seal()).json().has("waited_s")).isFalse();
        }
        ServedHive.Answer answer = hive.send(hive.mail("sixth").seal());
        assertThat(answer.status()).isEqualTo(201);
        assertThat(answer.json().number("waited_s")).isEqualTo(1);
        assertThat(ReceiptJson.read(answer.json(), "there").waited())
                .isEqualTo(
                        new Receipt.Wait(Duration.ofSeconds(1), "the oldest mail there is 2h old"));
    }

    @Test
    void anEnvelopeCanBeReadWhereverItIs() throws Exception {
        Envelope envelope = hive.mail("where").seal();
        hive.send(envelope);
        hive.post(
                "/v1/claims/" + hive.take() + "/ack",
                Json.obj().put("status", "done").put("note", "well"));
        ServedHive.Answer answer = hive.get("/v1/envelopes/" + envelope.id());
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.json().text("state")).isEqualTo("done");
        assertThat(hive.get("/v1/envelopes/01JBRM7XCN6E9M6KQGM6K3J3ZZ").status()).isEqualTo(404);
    }

    @Test
    void aWaitingSelectGetsWhatComes() throws Exception {
        Thread sender =
                Thread.ofVirtual()
                        .start(() -> {
                            try {
                                hive.files.send(hive.mail("later").seal());
                            } catch (Exception e) {
                                throw new IllegalStateException(e);
                            }
                        });
        ServedHive.Answer answer =
                hive.post(
                        "/v1/inboxes/code/select",
                        Json.obj().put("worker", "w1").put("wait_s", 20));
        sender.join();
        assertThat(answer.json().text("topic")).isEqualTo("later");
    }

    @Test
    void aServerThatIsAwayIsAFailureAndNoLie() throws Exception {
        URI nowhere = hive.endpoint.url();
        Envelope envelope = hive.mail("lost").seal();
        hive.endpoint.close();
        try (HttpTransport transport = new HttpTransport(HttpOptions.of(nowhere))) {
            assertThatThrownBy(() -> transport.send(envelope))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("does not answer");
        }
    }

    @Test
    void aTokenGoesOverPlainHttpToThisMachineOnly() {
        HttpOptions plain = HttpOptions.of(URI.create("http://hive.example.org:7777"));
        assertThatThrownBy(() -> plain.withToken("x"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("https");
    }

    @Test
    void aClaimThatIsNotOursIsLost() throws Exception {
        hive.send(hive.mail("mine").seal());
        String claim = hive.take();
        assertThat(hive.post("/v1/claims/" + claim + "/release", Json.obj()).status())
                .isEqualTo(200);
        ServedHive.Answer lost =
                hive.post("/v1/claims/" + claim + "/ack", Json.obj().put("status", "done"));
        assertThat(lost.status()).isEqualTo(409);
        assertThat(lost.code()).isEqualTo("claim_lost");
        try (HttpTransport transport = hive.transport()) {
            var inbox = transport.inbox(Domain.parse("code"));
            assertThat(inbox.settle(claim.substring(5), new Outcome.Done("")))
                    .isInstanceOf(Settlement.Lost.class);
            assertThat(inbox.select(Actor.parse("w2"), Lease.attended(Duration.ofMinutes(1))))
                    .isInstanceOf(Selection.Taken.class);
        }
    }
}
