package dev.pheromone.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.AwayException;
import dev.pheromone.SendResult;
import dev.pheromone.http.HttpOptions;
import dev.pheromone.http.HttpTransport;
import dev.pheromone.testkit.FakeClock;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/// A hive behind a certificate, for those who trust it.
final class TlsTest {

    private static final String PASSWORD = "changeit";

    @TempDir Path folder;

    /// A key and a certificate that vouches for itself, made by the JDK's own tool.
    private KeyStore selfSigned(String algorithm) throws Exception {
        Path file = folder.resolve("server.p12");
        Process keytool =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString(),
                                "-genkeypair",
                                "-alias",
                                "server",
                                "-keyalg",
                                algorithm,
                                "-dname",
                                "CN=localhost",
                                "-ext",
                                "SAN=ip:127.0.0.1,dns:localhost",
                                "-validity",
                                "2",
                                "-storetype",
                                "PKCS12",
                                "-keystore",
                                file.toString(),
                                "-storepass",
                                PASSWORD)
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve("keytool.txt").toFile())
                        .start();
        assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, PASSWORD.toCharArray());
        }
        return store;
    }

    private static byte[] pem(String what, byte[] content) {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        return ("-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n")
                .getBytes(StandardCharsets.US_ASCII);
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

    @Test
    void mailGoesToAServerThatIsTrusted() throws Exception {
        KeyStore store = selfSigned("EC");
        Key key = store.getKey("server", PASSWORD.toCharArray());
        byte[] keyPem = pem("PRIVATE KEY", key.getEncoded());
        byte[] certificate = pem("CERTIFICATE", store.getCertificate("server").getEncoded());
        try (ServedHive hive =
                new ServedHive(
                        Files.createDirectory(folder.resolve("hive")),
                        new FakeClock(Instant.now()),
                        options -> options.withTls(PemTls.context(keyPem, certificate)))) {
            HttpOptions options =
                    HttpOptions.of(hive.endpoint.url())
                            .withToken(ServedHive.TOKEN)
                            .withTimeout(Duration.ofSeconds(20));
            assertThat(hive.endpoint.url().getScheme()).isEqualTo("https");
            try (HttpTransport trusting = new HttpTransport(options.withTls(trusting(store)));
                    HttpTransport wary = new HttpTransport(options)) {
                assertThat(trusting.send(hive.mail("safe").seal()).copies().getFirst().result())
                        .isInstanceOf(SendResult.Delivered.class);
                assertThatThrownBy(() -> wary.send(hive.mail("unsafe").seal()))
                        .isInstanceOf(IOException.class);
                assertThat(hive.states()).hasSize(1);
            }
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

    @Test
    void whatIsNoCertificateIsSaidSo() {
        byte[] nonsense = "nonsense".getBytes(StandardCharsets.US_ASCII);
        assertThatThrownBy(() -> PemTls.context(nonsense, nonsense))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("certificate");
    }
}
