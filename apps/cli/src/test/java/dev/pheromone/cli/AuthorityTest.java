package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.cli.frame.Terminal;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// What is for people is asked of people.
class AuthorityTest {

    @TempDir Path folder;

    private Session session;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @BeforeEach
    void makeHiveAndKey() {
        session = new Session(folder);
        assertThat(session.rsm("init").exit()).isZero();
        assertThat(session.rsm("keys", "new", "laptop").exit()).isZero();
        session.terminal = new Terminal(true, true, true);
    }

    private int trustTyping(String typed) {
        return new Rsm(session.surroundings(typed, out, err))
                .run(List.of("keys", "trust", "laptop"));
    }

    @Test
    void atATerminalTheRightWordIsEnough() {
        assertThat(trustTyping("laptop\n")).isZero();
        assertThat(err.toString(StandardCharsets.UTF_8))
                .isEqualTo("trusting key laptop: type laptop to continue: ");
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("confirmed by you, not signed");
    }

    @Test
    void anotherWordOrNoneChangesNothing() {
        assertThat(trustTyping("yes\n")).isEqualTo(2);
        assertThat(trustTyping("")).isEqualTo(2);
        assertThat(session.rsm("keys", "list", "--json").out()).contains("\"trust\":\"no\"");
    }

    @Test
    void whereAPersonsKeyIsKnownOnlySuchAKeyCounts() {
        assertThat(session.rsm("keys", "trust", "laptop", "--human", "--by", "you").exit())
                .isZero();
        Session elsewhere = new Session(folder);
        elsewhere.env.put("XDG_CONFIG_HOME", folder.resolve("other").toString());
        assertThat(elsewhere.rsm("keys", "revoke", "laptop", "--by", "you").err())
                .contains("needs a person's key");
        assertThat(session.rsm("keys", "revoke", "laptop").out())
                .contains("signed with key laptop)");
    }

    @Test
    void aKeyThatIsOnlyCalledTheSameDoesNotCount() {
        assertThat(session.rsm("keys", "trust", "laptop", "--human", "--by", "you").exit())
                .isZero();
        Session elsewhere = new Session(folder);
        elsewhere.env.put("XDG_CONFIG_HOME", folder.resolve("other").toString());
        assertThat(elsewhere.rsm("keys", "new", "laptop").exit()).isZero();

        assertThat(elsewhere.rsm("keys", "revoke", "laptop").err())
                .contains("needs a person's key");
        session.rsm("lock", "hive");
        assertThat(elsewhere.rsm("unlock", "hive").err()).contains("needs a person's key");
        assertThat(elsewhere.rsm("embargo", "release", "--yes").err())
                .contains("needs a person's key");
        assertThat(session.rsm("unlock", "hive").exit()).isZero();
    }

    @Test
    void aSharedSecretIsNobodysKeyAlone() {
        session.rsm("keys", "new", "robots", "--hmac");

        Session.Result result = session.rsm("keys", "trust", "robots", "--human", "--by", "you");

        assertThat(result.exit()).isEqualTo(2);
        assertThat(result.err()).contains("key robots is a shared secret");
    }

    @Test
    void anExpiredKeyOfAPersonOpensNothing() throws Exception {
        assertThat(session.rsm("keys", "trust", "laptop", "--human", "--by", "you").exit())
                .isZero();
        Path trust = folder.resolve(".deia/trust.yaml");
        String unending = Files.readString(trust);
        Files.writeString(
                trust,
                unending.replaceFirst("( *)human: true", "$0\n$1expires: 2024-01-01T00:00:00Z"));
        session.rsm("lock", "hive");

        Session.Result result = session.rsm("unlock", "hive", "--by", "mallory");

        assertThat(result.exit()).isEqualTo(2);
        assertThat(result.err())
                .contains("those of the hive have expired: laptop", ".deia/trust.yaml");
        assertThat(session.rsm("keys", "revoke", "laptop", "--by", "mallory").exit()).isNotZero();
    }
}
