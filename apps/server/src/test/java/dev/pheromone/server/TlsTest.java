package dev.pheromone.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.AwayException;
import dev.pheromone.NotLetInException;
import dev.pheromone.SendResult;
import dev.pheromone.http.HttpOptions;
import dev.pheromone.http.HttpTransport;
import dev.pheromone.testkit.FakeClock;
import dev.pheromone.testkit.SelfSigned;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;

/// A hive behind a certificate, for those who trust it.
final class TlsTest {

    @TempDir Path folder;

    private ServedHive served(SelfSigned certificate) throws Exception {
        byte[] key = Files.readAllBytes(certificate.key());
        byte[] itself = Files.readAllBytes(certificate.certificate());
        return new ServedHive(
                Files.createDirectory(folder.resolve("hive")),
                new FakeClock(Instant.now()),
                options -> options.withTls(PemTls.context(key, itself)));
    }

    @Test
    void mailGoesToAServerThatIsTrusted() throws Exception {
        SelfSigned certificate = SelfSigned.make(folder, "ip:127.0.0.1,dns:localhost");
        try (ServedHive hive = served(certificate)) {
            HttpOptions options =
                    HttpOptions.of(hive.endpoint.url())
                            .withToken(ServedHive.TOKEN)
                            .withTimeout(Duration.ofSeconds(20));
            assertThat(hive.endpoint.url().getScheme()).isEqualTo("https");
            try (HttpTransport trusting =
                            new HttpTransport(options.withTls(certificate.trusting()));
                    HttpTransport wary = new HttpTransport(options)) {
                assertThat(trusting.send(hive.mail("safe").seal()).copies().getFirst().result())
                        .isInstanceOf(SendResult.Delivered.class);
                assertThatThrownBy(() -> wary.send(hive.mail("unsafe").seal()))
                        .isInstanceOf(NotLetInException.class)
                        .hasMessageContaining("its certificate is not trusted: ");
                assertThat(hive.states()).hasSize(1);
            }
        }
    }

    @Test
    void aCertificateForAnotherHostIsNotTrusted() throws Exception {
        SelfSigned certificate = SelfSigned.make(folder, "dns:other.example");
        try (ServedHive hive = served(certificate);
                HttpTransport transport =
                        new HttpTransport(
                                HttpOptions.of(hive.endpoint.url())
                                        .withTls(certificate.trusting()))) {
            assertThatThrownBy(transport::domains)
                    .isInstanceOf(NotLetInException.class)
                    .hasMessageContaining("its certificate is not trusted: ");
        }
    }

    /// A plain server waits for the end of a line that never comes.
    @Test
    @Timeout(12)
    void whoSpeaksNoTlsIsAwayWithinSeconds() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
                HttpTransport transport =
                        new HttpTransport(
                                HttpOptions.of(
                                        URI.create(
                                                "https://127.0.0.1:" + silent.getLocalPort())))) {
            assertThatThrownBy(transport::domains)
                    .isInstanceOf(AwayException.class)
                    .hasMessageContaining("no connection within 5 s");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"EC", "RSA", "Ed25519"})
    void theKeyOfAnotherCertificateIsRefused(String algorithm) throws Exception {
        byte[] certificate =
                Files.readAllBytes(SelfSigned.make(folder, "ip:127.0.0.1").certificate());
        byte[] other =
                KeyPairGenerator.getInstance(algorithm).generateKeyPair().getPrivate().getEncoded();
        byte[] key =
                ("-----BEGIN PRIVATE KEY-----\n"
                                + Base64.getMimeEncoder().encodeToString(other)
                                + "\n-----END PRIVATE KEY-----\n")
                        .getBytes(StandardCharsets.US_ASCII);
        assertThatThrownBy(() -> PemTls.context(key, certificate))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("that belong together");
    }

    @Test
    void whatIsNoCertificateIsSaidSo() {
        byte[] nonsense = "nonsense".getBytes(StandardCharsets.US_ASCII);
        assertThatThrownBy(() -> PemTls.context(nonsense, nonsense))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("certificate");
    }
}
