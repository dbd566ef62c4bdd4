package dev.pheromone.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;

import dev.pheromone.AwayException;
import dev.pheromone.Capability;
import dev.pheromone.Inbox;
import dev.pheromone.Lag;
import dev.pheromone.Lease;
import dev.pheromone.NotLetInException;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.SendResult;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.envelope.Consent;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.guard.WithheldException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/// Whatever a server answers, and whatever stands between it and us: the caller gets a result or
/// one error that says what was asked, and is never told of a delivery that no receipt confirms.
@Timeout(30)
final class StrangeServersTest {

    private static final Domain CODE = Domain.parse("code");
    private static final Actor BOB = Actor.parse("bob");

    private record Said(int status, String body) {}

    private final Map<String, Said> answers = new ConcurrentHashMap<>();
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private HttpServer server;
    private HttpTransport transport;

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/")
                .setHandler(exchange -> {
                    String path = exchange.getRequestURI().getPath();
                    asked.add(exchange.getRequestMethod() + " " + path);
                    exchange.getRequestBody().readAllBytes();
                    Said said = answers.getOrDefault(path, new Said(500, ""));
                    byte[] body = said.body().getBytes(StandardCharsets.UTF_8);
                    if (said.status() / 100 == 3) {
                        exchange.getResponseHeaders().add("Location", "/elsewhere");
                    }
                    exchange.sendResponseHeaders(
                            said.status(), body.length == 0 ? -1 : body.length);
                    exchange.getResponseBody().write(body);
                    exchange.close();
                });
        server.start();
        transport =
                new HttpTransport(
                        HttpOptions.of(
                                        URI.create(
                                                "http://127.0.0.1:"
                                                        + server.getAddress().getPort()))
                                .withTimeout(Duration.ofSeconds(5))
                                .withTries(2));
    }

    @AfterEach
    void close() {
        transport.close();
        server.stop(0);
    }

    private static Envelope mail(Consent consent) {
        return Envelope.draft(
                        Actor.parse("ada"),
                        List.of(Address.parse("queen://code")),
                        Lane.CODE,
                        "parser")
                .ts(Instant.parse("2025-10-15T17:10:00Z"))
                .consent(consent)
                .body("Please.\n")
                .seal();
    }

    private Inbox inbox() throws Exception {
        answers.put("/v1/inboxes/code", new Said(200, "{\"items\":[]}"));
        return transport.inbox(CODE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "<html>Welcome</html>",
                "{}",
                "[]",
                "null",
                "{\"to\":null}",
                "{\"to\":[1],\"id\":\"x\",\"hash\":\"y\"}",
                "{\"to\":{},\"id\":[],\"hash\":7}"
            })
    void whatIsNoReceiptIsNoDelivery(String body) {
        answers.put("/v1/envelopes", new Said(200, body));
        assertThatThrownBy(() -> transport.send(mail(Consent.TEAM)))
                .isInstanceOf(IOException.class)
                .isNotInstanceOf(AwayException.class);
    }

    @ParameterizedTest
    @CsvSource({"301", "302", "307", "308"})
    void noTokenAndNoMailFollowARedirection(int status) {
        answers.put("/v1/envelopes", new Said(status, ""));
        answers.put("/elsewhere", new Said(200, "{}"));
        assertThatThrownBy(() -> transport.send(mail(Consent.TEAM)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the server answered " + status);
        assertThat(asked).containsExactly("POST /v1/envelopes");
    }

    @ParameterizedTest
    @CsvSource({"502", "503", "504"})
    void whatStandsInBetweenMayBeAwayForAWhile(int status) {
        answers.put("/v1/envelopes", new Said(status, "<html>Bad gateway</html>"));
        assertThatThrownBy(() -> transport.send(mail(Consent.TEAM)))
                .isInstanceOf(AwayException.class);
    }

    @ParameterizedTest
    @CsvSource({"401", "403"})
    void whoIsNotLetInIsToldSo(int status) {
        answers.put("/v1/inboxes", new Said(status, "{\"detail\":\"no such token\"}"));
        assertThatThrownBy(transport::domains)
                .isInstanceOf(NotLetInException.class)
                .hasMessage("inboxes: the server answered " + status + ", no such token");
    }

    @Test
    void privateMailDoesNotLeave() throws Exception {
        assertThat(transport.send(mail(Consent.PRIVATE)).copies().getFirst().result())
                .isInstanceOf(SendResult.BeyondConsent.class);
        assertThat(asked).isEmpty();
    }

    @Test
    void publicMailThatNobodyLookedThroughDoesNotLeave() throws Exception {
        assertThat(transport.send(mail(Consent.PUBLIC)).copies().getFirst().result())
                .isInstanceOf(SendResult.NotPublic.class);
        assertThat(asked).isEmpty();
    }

    @Test
    void anInboxThatIsMissingThereIsNamedWithThoseThatAreThere() {
        answers.put(
                "/v1/envelopes",
                new Said(
                        404,
                        "{\"code\":\"no_such_inbox\",\"address\":\"queen://code\","
                                + "\"known\":[\"docs\",\"bugs\"]}"));
        assertThatThrownBy(() -> transport.send(mail(Consent.TEAM)))
                .isInstanceOfSatisfying(
                        NoSuchInboxException.class,
                        e ->
                                assertThat(e.known())
                                        .containsExactly(
                                                Domain.parse("docs"), Domain.parse("bugs")));
    }

    @Test
    void aPageThatIsNotFoundIsNoMissingInbox() {
        answers.put("/v1/envelopes", new Said(404, "<html>Not found</html>"));
        assertThatThrownBy(() -> transport.send(mail(Consent.TEAM)))
                .isInstanceOf(IOException.class)
                .isNotInstanceOf(NoSuchInboxException.class);
    }

    @Test
    void aServerThatDoesNotSayWhatItPromisesPromisesNothing() {
        assertThat(transport.capabilities()).isEmpty();
        answers.put("/v1/about", new Said(404, ""));
        assertThat(transport.capabilities()).isEmpty();
        assertThat(transport.lag()).isEqualTo(Lag.NONE);
    }

    @Test
    void noServerSeesWhetherAClientLives() {
        answers.put(
                "/v1/about",
                new Said(
                        200,
                        "{\"capabilities\":[\"attended-leases\",\"shared-turns\",\"later\"],"
                                + "\"arrival_lag_s\":0.25}"));
        assertThat(transport.capabilities()).containsExactly(Capability.SHARED_TURNS);
        assertThat(transport.lag().arrival()).isEqualTo(Duration.ofMillis(250));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{\"claim\":\"code.x\"}",
                "{\"id\":\"01K7N3Q8ZR4D6T2W9XAVHB5YCE\",\"claim\":\"code.x\",\"envelope\":\"!\"}",
                "{\"id\":\"01K7N3Q8ZR4D6T2W9XAVHB5YCE\",\"claim\":\"code.x\",\"envelope\":\"eA==\"}"
            })
    void whatIsNoClaimIsNotWorkedOn(String body) throws Exception {
        Inbox inbox = inbox();
        answers.put("/v1/inboxes/code/select", new Said(200, body));
        assertThatThrownBy(() -> inbox.select(BOB, Lease.unattended(Duration.ofMinutes(1))))
                .isInstanceOf(IOException.class);
    }

    @Test
    void takingIsNotRepeatedWhateverTheServerSays() throws Exception {
        Inbox inbox = inbox();
        answers.put("/v1/inboxes/code/select", new Said(503, ""));
        asked.clear();
        assertThatThrownBy(() -> inbox.select(BOB, Lease.unattended(Duration.ofMinutes(1))))
                .isInstanceOf(AwayException.class);
        assertThat(asked).containsExactly("POST /v1/inboxes/code/select");
    }

    @Test
    void aLockThereWithholds() throws Exception {
        Inbox inbox = inbox();
        String lock =
                "{\"lock\":{\"kind\":\"dnr\",\"source\":\"release.yaml\"},"
                        + "\"detail\":\"inbox code is under lock dnr\"}";
        answers.put("/v1/inboxes/code/select", new Said(423, lock));
        answers.put("/v1/inboxes/code", new Said(423, lock));
        assertThat(inbox.select(BOB, Lease.unattended(Duration.ofMinutes(1))))
                .isInstanceOf(Selection.Withheld.class);
        assertThatThrownBy(inbox::waiting).isInstanceOf(WithheldException.class);
    }

    @Test
    void anOutcomeThatTheServerDoesNotUnderstandIsAnError() throws Exception {
        Inbox inbox = inbox();
        answers.put("/v1/claims/code.x/ack", new Said(422, "{\"detail\":\"note: too long\"}"));
        assertThatThrownBy(() -> inbox.settle("x", new Outcome.Done("")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("note: too long");
        answers.put("/v1/claims/code.x/ack", new Said(200, "{\"state\":\"finished\"}"));
        assertThatThrownBy(() -> inbox.settle("x", new Outcome.Done("")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the server's answer is not the end of a claim");
    }
}
