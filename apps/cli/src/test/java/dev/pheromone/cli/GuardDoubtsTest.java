package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Where the guard could be in doubt, it stays closed and says so.
final class GuardDoubtsTest {

    @TempDir private Path folder;
    private Session session;

    @BeforeEach
    void makeHive() throws IOException {
        session = new Session(folder.toRealPath());
        assertThat(session.rsm("init").exit()).isZero();
    }

    private void lockByHand() throws IOException {
        Files.createFile(session.cwd.resolve(".deia/ROTG-2-RESPECT-DO-NOT-ERASE.lock"));
    }

    @Test
    void withoutACopyOfTheKeysAWordDoesNotLiftTheHivesLock() throws IOException {
        session.rsm("keys", "new", "laptop");
        session.rsm("keys", "trust", "laptop", "--human", "--by", "you");
        lockByHand();
        Files.delete(session.cwd.resolve(".embargo/trust.yaml"));

        Session.Result refused = session.rsm("unlock", "hive", "--by", "eve");

        assertThat(refused.exit()).isEqualTo(3);
        assertThat(refused.err()).contains(".embargo/trust.yaml is missing", "by hand");
        Files.copy(
                session.cwd.resolve(".deia/trust.yaml"),
                session.cwd.resolve(".embargo/trust.yaml"));
        assertThat(session.rsm("unlock", "hive").out()).contains("(key laptop)");
    }

    @Test
    void anyCommandKeepsTheKeysOfAClone() throws IOException {
        Files.delete(session.cwd.resolve(".embargo/trust.yaml"));
        assertThat(session.rsm("status").exit()).isZero();
        lockByHand();

        assertThat(session.rsm("unlock", "hive", "--by", "you").exit()).isZero();
    }

    @Test
    void anotherOutcomeUnderALockIsAConflict() throws IOException {
        session.rsm("send", "--to", "code", "please");
        String claim = session.rsm("select", "code", "--quiet").out().strip();
        lockByHand();

        assertThat(session.rsm("ack", claim, "error", "broke").exit()).isEqualTo(3);
        assertThat(session.rsm("ack", claim, "error", "broke").exit()).isEqualTo(3);
        Session.Result other = session.rsm("ack", claim, "done", "fixed");

        assertThat(other.exit()).isEqualTo(5);
        assertThat(other.err()).contains("the outcome \"error\" waits");
    }

    @Test
    void aHiveWithinAHiveTakesNothingFromTheOuterLocks() throws IOException {
        Path docs = Files.createDirectory(session.cwd.resolve("docs"));
        Files.writeString(docs.resolve("spec.md"), "1\n");
        session.rsm("lock", "do-not-alter", "docs/spec.md");
        Files.createDirectory(docs.resolve(".deia"));
        session.cwd = docs;

        assertThat(session.rsm("check", "--write", "spec.md").exit()).isEqualTo(3);
        assertThat(session.rsm("check", "spec.md").exit()).isZero();
    }
}
