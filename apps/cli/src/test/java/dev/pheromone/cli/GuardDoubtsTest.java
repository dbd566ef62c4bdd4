package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.text.Json;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

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
        assertThat(session.rsm("unlock", "hive").out()).contains("signed with key laptop");
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

    @ParameterizedTest
    @ValueSource(strings = {"/etc/passwd", "!docs/public.md", "~/notes"})
    void aPatternThatWouldCoverNothingLocksEverythingAndSaysWhy(String pattern) throws IOException {
        Path lists = Files.createDirectories(session.cwd.resolve(".deia/do-not-alter"));
        Files.writeString(lists.resolve("by-hand.yaml"), "- path_pattern: '" + pattern + "'\n");

        Session.Result checked = session.rsm("check", "any.txt");

        assertThat(checked.exit()).isEqualTo(3);
        assertThat(checked.err())
                .contains("what .deia/do-not-alter/by-hand.yaml covers is unclear")
                .contains("found \"" + pattern + "\", expected");
    }

    @Test
    void suchAPatternIsNotWritten() {
        for (String pattern : List.of("/etc/passwd", "!docs/public.md", "~/notes")) {
            Session.Result refused = session.rsm("lock", "dnr", pattern);

            assertThat(refused.exit()).as(pattern).isEqualTo(2);
            assertThat(refused.err()).contains("PATTERN", pattern, "expected");
        }
        assertThat(session.rsm("lock").out()).isEqualTo("nothing is locked\n");
    }

    @Test
    void aListThatNobodyUnderstandsLeavesAnEventAndASignal() throws IOException {
        Path lists = Files.createDirectories(session.cwd.resolve(".deia/do-not-read"));
        Path list = Files.writeString(lists.resolve("broken.yaml"), "{\n");

        assertThat(session.rsm("send", "--to", "code", "hello").exit()).isEqualTo(3);
        assertThat(session.rsm("inbox", "code").exit()).isEqualTo(3);
        assertThat(session.rsm("check", ".embargo/inbox").exit()).isEqualTo(3);

        assertThat(Files.readString(session.cwd.resolve(".embargo/telemetry/rse.jsonl")))
                .contains("\"type\":\"policy_guard\"", "\"source\":\"uncertain\"")
                .contains("\"type\":\"pheromone_drop\"", "\"topic\":\"policy-guard\"");
        Files.delete(list);
        assertThat(session.rsm("select", "code").exit()).isEqualTo(4);
        assertThat(session.rsm("log", "--json").out()).contains("\"source\":\"uncertain\"");
    }

    private Session.Result hook(String tool, String parameter, String value) {
        return session.rsm(
                List.of("hook", "claude", "PreToolUse"),
                Json.obj()
                        .put("cwd", session.cwd.toString())
                        .put("tool_name", tool)
                        .put("tool_input", Json.obj().put(parameter, value))
                        .toString());
    }

    @Test
    void theHookInAHiveWithinAHiveHonoursTheLocksOfBoth() throws IOException {
        Path inner = Files.createDirectories(session.cwd.resolve("docs/inner"));
        Files.writeString(session.cwd.resolve("docs/spec.md"), "1\n");
        session.rsm("lock", "dnr", "docs/spec.md");
        session.cwd = inner;
        assertThat(session.rsm("init").exit()).isZero();

        assertThat(hook("Read", "file_path", "../spec.md").exit()).isEqualTo(2);
        assertThat(hook("Bash", "command", "cat ../*.md").exit()).isEqualTo(2);
        assertThat(hook("Bash", "command", "rm ../../.deia/do-not-read/*").exit()).isEqualTo(2);
        assertThat(hook("Write", "file_path", "../../.deia/trust.yaml").exit()).isEqualTo(2);
        assertThat(hook("Bash", "command", "cat a/*.md").exit()).isZero();

        session.rsm("lock", "do-not-alter", "src/**");
        assertThat(hook("Bash", "command", "rm src/*").exit()).isEqualTo(2);
        assertThat(hook("Bash", "command", "rm ../../src/*").exit()).isZero();
    }

    @Test
    void theHookOfAnOuterHiveHonoursTheLocksOfTheOneInWhichTheToolIsUsed() throws IOException {
        Path outer = session.cwd;
        Path inner = Files.createDirectory(outer.resolve("inner"));
        session.cwd = inner;
        session.rsm("init");
        session.rsm("lock", "do-not-alter", "VERSION");
        session.env.put("RSM_ROOT", outer.toString());

        assertThat(hook("Bash", "command", "echo 2 > VERS*N").exit()).isEqualTo(2);
        assertThat(hook("Bash", "command", "rm V*").exit()).isEqualTo(2);
        assertThat(hook("Bash", "command", "rm src/*").exit()).isZero();
    }

    @Test
    void aLockedPathIsNotFollowedFromOutsideOfEveryHive(@TempDir Path elsewhere)
            throws IOException {
        Path secret = session.cwd.resolve("secret");
        Files.createSymbolicLink(secret, secret);
        session.rsm("lock", "dnr", "secret");
        session.cwd = elsewhere.toRealPath();

        Session.Result checked = session.rsm("check", secret.resolve("key.txt").toString());

        assertThat(checked.exit()).as("%s", checked).isEqualTo(3);
        assertThat(checked.err()).contains("dnr: secret is locked");
    }

    @Test
    void belowAFileThereIsNothingToBeInDoubtAbout() throws IOException {
        Files.createDirectory(session.cwd.resolve("docs"));
        for (String name : List.of("package.json", "docs/x.md", "keep.txt")) {
            Files.writeString(session.cwd.resolve(name), "1\n");
        }
        Files.createSymbolicLink(session.cwd.resolve("docs/kept.txt"), Path.of("../keep.txt"));
        session.rsm("lock", "do-not-alter", "keep.txt");
        session.rsm("lock", "do-not-alter", "docs/spec.md");

        assertThat(hook("Bash", "command", "mv /tmp/p.json package.json").exit()).isZero();
        assertThat(hook("Bash", "command", "cp /tmp/y.md docs/x.md").exit()).isZero();
        assertThat(hook("Bash", "command", "cp /tmp/y.md docs/").exit()).isZero();
        assertThat(hook("Bash", "command", "cp /tmp/y.md keep.txt").exit()).isEqualTo(2);
        assertThat(hook("Bash", "command", "cp /tmp/y.md docs/kept.txt").exit()).isEqualTo(2);
        assertThat(hook("Bash", "command", "cp /tmp/spec.md docs").exit()).isEqualTo(2);
        assertThat(session.rsm("check", "--write", "package.json/../keep.txt").exit()).isEqualTo(3);
        assertThat(session.rsm("check", "--write", "docs/kept.txt/below").exit()).isEqualTo(3);
    }
}
