package dev.pheromone.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.Domain;
import dev.pheromone.testkit.NatsServer;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/// Servers that want to know who we are, and that show who they are.
@Timeout(120)
final class LoginTest {

    private static final Domain CODE = Domain.parse("code");
    private static final String STORE_PASSWORD = "changeit";
    private static final String SECRET = "wrong-secret";

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
    void aSecretDoesNotGoFarWithoutEncryption() {
        for (NatsLogin login : List.of(user(SECRET), token(SECRET))) {
            assertThatThrownBy(() -> options("nats://hive.example").withLogin(login))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("tls://")
                    .hasMessageNotContaining(SECRET);
        }
    }

    /// A key and a certificate for `host` that vouches for itself, made by the JDK's own tool.
    private KeyStore selfSigned(String host) throws Exception {
        Path file = folder.resolve("server.p12");
        Process keytool =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString(),
                                "-genkeypair",
                                "-alias",
                                "server",
                                "-keyalg",
                                "EC",
                                "-dname",
                                "CN=server",
                                "-ext",
                                "SAN=" + host,
                                "-validity",
                                "2",
                                "-storetype",
                                "PKCS12",
                                "-keystore",
                                file.toString(),
                                "-storepass",
                                STORE_PASSWORD)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
        assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(keytool.exitValue()).isZero();
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, STORE_PASSWORD.toCharArray());
        }
        return store;
    }

    private Path pem(String name, String what, byte[] content) throws IOException {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        return Files.writeString(
                folder.resolve(name),
                "-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n",
                StandardCharsets.US_ASCII);
    }

    private NatsServer encrypted(KeyStore store, String more) throws Exception {
        byte[] key = store.getKey("server", STORE_PASSWORD.toCharArray()).getEncoded();
        byte[] certificate = store.getCertificate("server").getEncoded();
        return NatsServer.start(
                folder,
                """
                tls { cert_file: "%s", key_file: "%s" }
                """
                                .formatted(
                                        pem("cert.pem", "CERTIFICATE", certificate),
                                        pem("key.pem", "PRIVATE KEY", key))
                        + more);
    }

    private static SSLContext trusting(KeyStore store) throws Exception {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("server", store.getCertificate("server"));
        TrustManagerFactory trust =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    private static NatsOptions encrypted(NatsServer server) {
        return options(server.url().replace("nats://", "tls://"));
    }

    @Test
    void anEncryptedConnectionIsForThoseWhoTrustTheServer() throws Exception {
        KeyStore store = selfSigned("ip:127.0.0.1");
        try (NatsServer server =
                encrypted(store, "authorization { user: hive, password: \"right\" }\n")) {
            NatsOptions options = encrypted(server).withLogin(user("right"));
            assertOpens(options.withTls(trusting(store)));
            assertRefused(options, "certification path");
            assertRefused(
                    options.withTls(trusting(store)).withLogin(user(SECRET)), "does not let us in");
        }
    }

    @Test
    void whoComesWithoutEncryptionIsRefused() throws Exception {
        KeyStore store = selfSigned("ip:127.0.0.1");
        try (NatsServer server = encrypted(store, "")) {
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
        KeyStore store = selfSigned("dns:other.example");
        try (NatsServer server = encrypted(store, "")) {
            assertRefused(encrypted(server).withTls(trusting(store)), "certificate is not trusted");
        }
    }

    @Test
    void aCertificateIsForTheNameByWhichTheServerIsCalled() throws Exception {
        KeyStore store = selfSigned("dns:localhost");
        try (NatsServer server = encrypted(store, "")) {
            String named = server.url().replace("nats://127.0.0.1", "tls://localhost");
            assertOpens(options(named).withTls(trusting(store)));
            assertRefused(encrypted(server).withTls(trusting(store)), "certificate is not trusted");
        }
    }
}
