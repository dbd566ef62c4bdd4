package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/// By way of a hive that another process serves.
final class ViaHttpTest extends ViaContract {

    private ServedProcess server;

    @Override
    String transport(Path folder) throws Exception {
        if (server == null) {
            server = ServedProcess.start(folder);
        }
        return server.transport();
    }

    @Override
    void kill() throws Exception {
        server.kill();
    }

    @Override
    void restart() throws Exception {
        server.restart();
    }

    /// It is all in the folder of the hive that is served, and nobody else is shown it.
    @Override
    @Test
    void whatEndedBadlyIsShownWithItsReason() throws Exception {
        Session.Result refused = rsm(session("ann"), "archive --via team");
        assertThat(refused.exit()).isEqualTo(2);
        assertThat(refused.err())
                .contains("transport team: it does not show what ended there", "rsm archive");
    }

    @AfterEach
    void end() {
        if (server != null) {
            server.close();
        }
    }

    private Session hive() throws IOException {
        Session session = new Session(temp.toRealPath());
        assertThat(session.rsm("init").exit()).isZero();
        return session;
    }

    @Test
    void aNameThatHiveYamlDoesNotHaveIsAnError() throws Exception {
        Session session = hive();
        Session.Result none = rsm(session, "send --via team --to code hello");
        assertThat(none.exit()).isEqualTo(2);
        assertThat(none.err())
                .contains(
                        "transport: found \"team\", and hive.yaml has none",
                        "transports: {team",
                        "token_file: serve.token");
        configure(session, "team: {url: \"http://127.0.0.1:1\"}\n  hub: {url: \"nats://x\"}");
        Session.Result other = rsm(session, "send --via taem --to code hello");
        assertThat(other.exit()).isEqualTo(2);
        assertThat(other.err())
                .contains("transport: found \"taem\", expected hub or team", "did you mean team?");
    }

    @Test
    void aTokenIsReadOnlyFromAFileThatIsSafe() throws Exception {
        Session session = hive();
        Path token = session.cwd.resolve("token");
        Files.writeString(token, "correct-horse-battery-staple\n");
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-r--r--"));
        configure(session, "team: {url: \"http://127.0.0.1:1\", token_file: %s}".formatted(token));
        assertThat(rsm(session, "send --via team --to code hello").err())
                .contains("expected rw-------")
                .doesNotContain("staple");
        configure(session, "team: {url: \"http://127.0.0.1:1\", token_file: nowhere}");
        assertThat(rsm(session, "send --via team --to code hello").err())
                .contains("transport team: token_file: found no file", "rw-------");
        Path inside = session.cwd.resolve(".deia/token");
        Files.writeString(inside, "correct-horse-battery-staple\n");
        Files.setPosixFilePermissions(inside, PosixFilePermissions.fromString("rw-------"));
        configure(session, "team: {url: \"http://127.0.0.1:1\", token_file: %s}".formatted(inside));
        assertThat(rsm(session, "send --via team --to code hello").err())
                .contains("transport team: token_file: found a file of the hive");
        configure(session, "team: {url: \"http://example.org\", token_file: %s}".formatted(token));
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
        assertThat(rsm(session, "inbox code --via team").err())
                .contains("with a token, expected https://");
        configure(
                session,
                "team: {url: \"http://127.0.0.1:1\", user: ann, password_file: %s}"
                        .formatted(token));
        assertThat(rsm(session, "inbox code --via team").err())
                .contains("transport team: user: a served hive knows no users");
    }

    @Test
    void aWrongTokenIsNoReasonToKeepMail() throws Exception {
        Session session = hive();
        try (ServedProcess served = ServedProcess.start(temp.toRealPath().resolve("other"))) {
            Path token = session.cwd.resolve("token");
            Files.writeString(token, "another-horse-battery-staple\n");
            Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
            configure(
                    session,
                    "team: {url: \"http://127.0.0.1:%d\", token_file: %s}"
                            .formatted(served.port, token));
            Session.Result refused = rsm(session, "send --via team --to code hello");
            assertThat(refused.exit()).as("%s", refused).isEqualTo(1);
            assertThat(refused.err())
                    .contains("401", "rsm: hint: ", "token_file")
                    .doesNotContain("staple");
            assertThat(session.rsm("status", "--json").out()).contains("\"outbox\":[]");
            Session.Result doctor = rsm(session, "doctor");
            assertThat(doctor.exit()).isEqualTo(1);
            assertThat(doctor.out())
                    .contains("error: transport team: found inboxes: the server answered 401")
                    .doesNotContain("kept until then");
        }
    }
}
