package dev.pheromone.mqtt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.Domain;
import dev.pheromone.testkit.Mosquitto;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
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

import javax.net.ssl.TrustManagerFactory;

/// Brokers that want to know who we are, and that show who they are.
final class LoginTest {

    private static final Domain CODE = Domain.parse("code");
    private static final String PASSWORD = "changeit";

    @TempDir Path folder;

    @BeforeAll
    static void refuse() {
        Mosquitto.refuseWithout("LoginTest");
    }

    private static void run(String... command) throws Exception {
        Process process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as("exit code of " + command[0]).isZero();
    }

    private Mosquitto withPassword() throws Exception {
        Path file = folder.resolve("passwords");
        run("mosquitto_passwd", "-b", "-c", file.toString(), "hive", "right");
        return Mosquitto.start(folder, "allow_anonymous false\npassword_file " + file + "\n");
    }

    private static MqttOptions options(String url) {
        return MqttOptions.of(url, "hive").withInboxes(List.of(CODE));
    }

    private static void assertOpens(MqttOptions options) throws IOException {
        try (MqttTransport transport = MqttTransport.open(options, InstantSource.system())) {
            assertThat(transport.domains()).containsExactly(CODE);
        }
    }

    private static void assertRefused(MqttOptions options, String message) {
        Instant start = Instant.now();
        assertThatThrownBy(() -> MqttTransport.open(options, InstantSource.system()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(options.url())
                .hasMessageContaining(message);
        assertThat(Duration.between(start, Instant.now())).isLessThan(Duration.ofSeconds(8));
    }

    @Test
    void theRightPasswordOpensAndAnotherIsRefusedWithoutBeingShown() throws Exception {
        try (Mosquitto broker = withPassword()) {
            MqttOptions options = options(broker.url());
            assertOpens(options.withLogin(new MqttLogin.Password("hive", () -> "right")));
            MqttOptions wrong =
                    options.withLogin(new MqttLogin.Password("hive", () -> "wrong-secret"));
            assertRefused(wrong, "user or password not accepted");
            assertRefused(options, "user or password not accepted");
            assertThat(wrong.toString()).doesNotContain("wrong-secret");
        }
    }

    @Test
    void aPasswordDoesNotGoFarWithoutEncryption() {
        MqttLogin login = new MqttLogin.Password("hive", () -> "right");
        assertThatThrownBy(() -> options("mqtt://hive.example").withLogin(login))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("mqtts://");
    }

    /// A key and a certificate for `host` that vouches for itself, made by the JDK's own tool.
    private KeyStore selfSigned(String host) throws Exception {
        Path file = folder.resolve("broker.p12");
        run(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "broker",
                "-keyalg",
                "EC",
                "-dname",
                "CN=broker",
                "-ext",
                "SAN=" + host,
                "-validity",
                "2",
                "-storetype",
                "PKCS12",
                "-keystore",
                file.toString(),
                "-storepass",
                PASSWORD);
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, PASSWORD.toCharArray());
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

    private Mosquitto encrypted(KeyStore store) throws Exception {
        byte[] key = store.getKey("broker", PASSWORD.toCharArray()).getEncoded();
        byte[] certificate = store.getCertificate("broker").getEncoded();
        return Mosquitto.start(
                folder,
                Mosquitto.OPEN
                        + "keyfile "
                        + pem("key.pem", "PRIVATE KEY", key)
                        + "\ncertfile "
                        + pem("cert.pem", "CERTIFICATE", certificate)
                        + "\n");
    }

    private static TrustManagerFactory trusting(KeyStore store) throws Exception {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("broker", store.getCertificate("broker"));
        TrustManagerFactory trust =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        return trust;
    }

    @Test
    void anEncryptedConnectionIsForThoseWhoTrustTheBroker() throws Exception {
        KeyStore store = selfSigned("ip:127.0.0.1");
        try (Mosquitto broker = encrypted(store)) {
            MqttOptions options = options(broker.url().replace("mqtt://", "mqtts://"));
            assertOpens(options.withTrusted(trusting(store)));
            assertRefused(options, "certification path");
            assertRefused(options(broker.url()), "");
        }
    }

    @Test
    void aCertificateForAnotherHostIsNotTrusted() throws Exception {
        KeyStore store = selfSigned("dns:other.example");
        try (Mosquitto broker = encrypted(store)) {
            MqttOptions options = options(broker.url().replace("mqtt://", "mqtts://"));
            assertRefused(options.withTrusted(trusting(store)), "");
        }
    }
}
