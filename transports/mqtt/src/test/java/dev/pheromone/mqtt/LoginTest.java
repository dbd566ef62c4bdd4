package dev.pheromone.mqtt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.AwayException;
import dev.pheromone.NotLetInException;
import dev.pheromone.testkit.Mosquitto;
import dev.pheromone.testkit.SelfSigned;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;

/// Brokers that want to know who we are, and that show who they are.
final class LoginTest {

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
        return MqttOptions.of(url, "hive");
    }

    private static void assertOpens(MqttOptions options) throws IOException {
        try (MqttCarrier carrier = MqttCarrier.open(options, InstantSource.system())) {
            assertThat(carrier.domains()).isEmpty();
        }
    }

    private static void assertRefused(MqttOptions options, String message) {
        assertFails(options, NotLetInException.class, message);
    }

    private static void assertFails(
            MqttOptions options, Class<? extends IOException> how, String message) {
        Instant start = Instant.now();
        assertThatThrownBy(() -> assertOpens(options))
                .isInstanceOf(how)
                .hasMessageContaining(options.broker.toString())
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
            assertThat(wrong.login.toString()).doesNotContain("wrong-secret");
        }
    }

    @Test
    void aPasswordDoesNotGoFarWithoutEncryption() {
        MqttLogin login = new MqttLogin.Password("hive", () -> "right");
        assertThatThrownBy(() -> options("mqtt://hive.example").withLogin(login))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("mqtts://");
    }

    private Mosquitto encrypted(SelfSigned certificate) throws IOException {
        return Mosquitto.start(
                folder,
                Mosquitto.OPEN
                        + "keyfile "
                        + certificate.key()
                        + "\ncertfile "
                        + certificate.certificate()
                        + "\n");
    }

    @Test
    void anEncryptedConnectionIsForThoseWhoTrustTheBroker() throws Exception {
        SelfSigned certificate = SelfSigned.make(folder, "ip:127.0.0.1");
        try (Mosquitto broker = encrypted(certificate)) {
            MqttOptions options = options(broker.url().replace("mqtt://", "mqtts://"));
            assertOpens(options.withTrusted(certificate.trust()));
            assertRefused(options, "its certificate is not trusted: ");
            assertFails(options(broker.url()), AwayException.class, "");
        }
    }

    @Test
    void aCertificateForAnotherHostIsNotTrusted() throws Exception {
        SelfSigned certificate = SelfSigned.make(folder, "dns:other.example");
        try (Mosquitto broker = encrypted(certificate)) {
            MqttOptions options = options(broker.url().replace("mqtt://", "mqtts://"));
            assertRefused(
                    options.withTrusted(certificate.trust()), "its certificate is not trusted: ");
        }
    }
}
