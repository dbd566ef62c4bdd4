package dev.pheromone.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.AwayException;
import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Selection;
import dev.pheromone.SendResult;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.testkit.NatsServer;
import dev.pheromone.testkit.SelfSigned;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.function.UnaryOperator;

/// Servers that want to know who we are, that show who they are, and that can't take our mail.
@Timeout(120)
final class LoginTest {

    private static final Domain CODE = Domain.parse("code");
    private static final String SECRET = "wrong-secret";
    private static final Actor WORKER = Actor.parse("worker");
    private static final Lease LEASE = Lease.unattended(Duration.ofMinutes(1));

    @TempDir Path folder;

    @BeforeAll
    static void refuse() {
        NatsServer.refuseWithout("LoginTest");
    }

    private static NatsOptions options(String url) {
        return NatsOptions.of(url, "hive")
                .withInboxes(List.of(CODE))
                .withWaits(Duration.ofSeconds(5), Duration.ofSeconds(30));
    }

    private static NatsLogin user(String password) {
        return new NatsLogin.Password("hive", () -> password);
    }

    private static NatsLogin token(String token) {
        return new NatsLogin.Token(() -> token);
    }

    private static void assertOpens(NatsOptions options) throws IOException {
        try (NatsTransport transport = NatsTransport.open(options, InstantSource.system())) {
            assertThat(transport.domains()).containsExactly(CODE);
        }
    }

    private static void assertRefused(NatsOptions options, String reason) {
        Instant start = Instant.now();
        assertThatThrownBy(() -> NatsTransport.open(options, InstantSource.system()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(options.url())
                .hasMessageContaining(reason)
                .satisfies(e -> {
                    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
                        assertThat(String.valueOf(cause.getMessage())).doesNotContain(SECRET);
                    }
                });
        assertThat(Duration.between(start, Instant.now())).isLessThan(Duration.ofSeconds(8));
        assertThat(options.toString()).doesNotContain(SECRET);
    }

    @Test
    void theRightPasswordOpensAndAnotherIsRefusedWithoutBeingShown() throws Exception {
        try (NatsServer server =
                NatsServer.start(folder, "authorization { user: hive, password: \"right\" }\n")) {
            NatsOptions options = options(server.url());
            assertOpens(options.withLogin(user("right")));
            assertRefused(options.withLogin(user(SECRET)), "does not let us in");
            assertRefused(options.withLogin(token(SECRET)), "does not let us in");
            assertRefused(options, "does not let us in");
        }
    }

    @Test
    void theRightTokenOpensAndAnotherIsRefusedWithoutBeingShown() throws Exception {
        try (NatsServer server = NatsServer.start(folder, "authorization { token: \"right\" }\n")) {
            NatsOptions options = options(server.url());
            assertOpens(options.withLogin(token("right")));
            assertRefused(options.withLogin(token(SECRET)), "does not let us in");
            assertRefused(options, "does not let us in");
        }
    }

    @Test
    void whoWasNotLetInForAWhileGoesOnWhereItWas() throws Exception {
        String right = "authorization { token: \"right\" }\n";
        try (NatsServer server = NatsServer.start(folder, right);
                NatsTransport transport =
                        NatsTransport.open(
                                options(server.url()).withLogin(token("right")),
                                InstantSource.system())) {
            Inbox inbox = transport.inbox(CODE);
            inbox.await(Duration.ofMillis(1));
            restart(server, settings -> settings.replace("right", "another"));
            Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .until(() ->
                            transport.send(ServerKilledTest.mail()).copies().getFirst().result()
                                            instanceof SendResult.Failed(var cause)
                                    && !(cause instanceof AwayException)
                                    && String.valueOf(cause.getMessage())
                                            .contains("does not let us in"));
            assertThatThrownBy(() -> inbox.select(WORKER, LEASE))
                    .hasMessageContaining("does not let us in");
            restart(server, settings -> settings.replace("another", "right"));
            Envelope envelope = ServerKilledTest.mail();
            Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .until(() ->
                            !(transport.send(envelope).copies().getFirst().result()
                                    instanceof SendResult.Failed));
            inbox.await(Duration.ofMillis(1));
            assertThat(inbox.select(WORKER, LEASE)).isInstanceOf(Selection.Taken.class);
        }
    }

    /// Starts `server` again, with other settings.
    private void restart(NatsServer server, UnaryOperator<String> change) throws IOException {
        Path settings = folder.resolve("server.conf");
        server.kill();
        Files.writeString(settings, change.apply(Files.readString(settings)));
        server.restart();
    }

    /// As Debian starts it.
    @Test
    void aServerThatKeepsNothingIsNotTakenForOneThatIsAway() throws Exception {
        try (NatsServer server = NatsServer.start(folder)) {
            restart(server, settings -> settings.replaceAll("(?m)^jetstream.*$", ""));
            assertRefused(options(server.url()), "it has no JetStream");
        }
        try (NatsServer server =
                NatsServer.start(
                        Files.createDirectory(folder.resolve("accounts")),
                        "accounts { a: { users: [{ user: hive, password: right }] } }\n")) {
            assertThatThrownBy(() ->
                            NatsTransport.open(
                                    options(server.url()).withLogin(user("right")),
                                    InstantSource.system()))
                    .isNotInstanceOf(AwayException.class)
                    .hasMessageContaining("not enabled for account");
        }
    }

    /// It is there, so nobody is told that it is not.
    @Test
    void aServerWithoutRoomSaysSo() throws Exception {
        try (NatsServer server = NatsServer.start(folder)) {
            restart(server, settings -> settings.replace("{ ", "{ max_file_store: 4KB, "));
            NatsOptions options =
                    options(server.url()).withWaits(Duration.ofSeconds(1), Duration.ofSeconds(30));
            try (NatsTransport transport = NatsTransport.open(options, InstantSource.system())) {
                SendResult last = null;
                for (int i = 0; i < 40 && !(last instanceof SendResult.Failed); i++) {
                    last = transport.send(ServerKilledTest.mail()).copies().getFirst().result();
                }
                assertThat(last)
                        .isInstanceOf(SendResult.Failed.class)
                        .asString()
                        .contains("insufficient");
            }
        }
    }

    @Test
    void aSecretInAUrlIsRefusedAndNotShown() {
        assertThatThrownBy(() -> options("nats://hive:" + SECRET + "@127.0.0.1:1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("login")
                .hasMessageNotContaining(SECRET);
    }

    @Test
    void aSecretDoesNotGoFarWithoutEncryption() {
        for (NatsLogin login : List.of(user(SECRET), token(SECRET))) {
            assertThatThrownBy(() -> options("nats://hive.example").withLogin(login))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("tls://")
                    .hasMessageNotContaining(SECRET);
        }
    }

    private NatsServer encrypted(SelfSigned certificate, String more) throws IOException {
        return NatsServer.start(
                folder,
                """
                tls { cert_file: "%s", key_file: "%s" }
                """
                                .formatted(certificate.certificate(), certificate.key())
                        + more);
    }

    private static NatsOptions encrypted(NatsServer server) {
        return options(server.url().replace("nats://", "tls://"));
    }

    @Test
    void anEncryptedConnectionIsForThoseWhoTrustTheServer() throws Exception {
        SelfSigned certificate = SelfSigned.make(folder, "ip:127.0.0.1");
        try (NatsServer server =
                encrypted(certificate, "authorization { user: hive, password: \"right\" }\n")) {
            NatsOptions options = encrypted(server).withLogin(user("right"));
            assertOpens(options.withTls(certificate.trusting()));
            assertRefused(options, "certification path");
            assertRefused(
                    options.withTls(certificate.trusting()).withLogin(user(SECRET)),
                    "does not let us in");
        }
    }

    @Test
    void whoComesWithoutEncryptionIsRefused() throws Exception {
        SelfSigned certificate = SelfSigned.make(folder, "ip:127.0.0.1");
        try (NatsServer server = encrypted(certificate, "")) {
            assertRefused(options(server.url()), "tls://");
        }
    }

    @Test
    void aServerWithoutEncryptionIsNotTakenForOneThatHasIt() throws Exception {
        try (NatsServer server = NatsServer.start(folder)) {
            assertRefused(encrypted(server), "nats://");
        }
    }

    @Test
    void aCertificateForAnotherHostIsNotTrusted() throws Exception {
        SelfSigned certificate = SelfSigned.make(folder, "dns:other.example");
        try (NatsServer server = encrypted(certificate, "")) {
            assertRefused(
                    encrypted(server).withTls(certificate.trusting()),
                    "certificate is not trusted");
        }
    }

    @Test
    void aCertificateIsForTheNameByWhichTheServerIsCalled() throws Exception {
        SelfSigned certificate = SelfSigned.make(folder, "dns:localhost");
        try (NatsServer server = encrypted(certificate, "")) {
            String named = server.url().replace("nats://127.0.0.1", "tls://localhost");
            assertOpens(options(named).withTls(certificate.trusting()));
            assertRefused(
                    encrypted(server).withTls(certificate.trusting()),
                    "certificate is not trusted");
        }
    }
}
