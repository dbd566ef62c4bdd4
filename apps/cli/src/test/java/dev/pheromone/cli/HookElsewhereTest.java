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

/// A hook that no project variable tells where its hive is, and an agent whose shell stands
/// elsewhere: in no hive, or in another one. A touched path is judged by the hives around it. Here
/// `hive` has locks and mail, `free` is a hive without locks, and `nowhere` is no hive.
final class HookElsewhereTest {

    @TempDir private Path folder;
    private Session session;
    private Path hive;

    @BeforeEach
    void makeHives() throws IOException {
        session = new Session(folder.toRealPath());
        hive = session.home.resolveSibling("hive");
        for (String name : List.of("free", "hive")) {
            session.cwd = Files.createDirectories(session.home.resolveSibling(name));
            assertThat(session.rsm("init").exit()).isZero();
        }
        assertThat(session.rsm("send", "--to", "code", "hello").exit()).isZero();
        Files.writeString(hive.resolve("secret.txt"), "a secret\n");
        Files.writeString(hive.resolve("kept.txt"), "kept\n");
        Files.writeString(hive.resolve("open.txt"), "open\n");
        Files.createDirectories(session.home.resolveSibling("nowhere"));
    }

    private void lock(String... words) {
        session.cwd = hive;
        assertThat(session.rsm(words).exit()).isZero();
    }

    private Session.Result hook(String standing, String command) {
        session.cwd = session.home.resolveSibling(standing);
        return session.rsm(
                List.of("hook", "codex", "PreToolUse"),
                Json.obj()
                        .put("cwd", session.cwd.toString())
                        .put("tool_name", "Bash")
                        .put("tool_input", Json.obj().put("command", command))
                        .toString());
    }

    private void assertBlocked(String command) {
        for (String standing : List.of("free", "nowhere")) {
            Session.Result result = hook(standing, command);
            assertThat(result.exit()).as(standing + ": " + command).isEqualTo(2);
            assertThat(result.err()).contains("rsm: error: ").hasLineCount(1);
        }
    }

    private void assertFree(String command) {
        for (String standing : List.of("free", "nowhere")) {
            Session.Result result = hook(standing, command);
            assertThat(result.exit()).as(standing + ": " + command + result.err()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "echo '{}' >> ../hive/.deia/telemetry/rse.jsonl",
                "cd ../hive && echo '{}' >> .deia/telemetry/rse.jsonl",
                "cd .. && cd hive/.deia && rm -r seen archive",
                "rm ../*/.deia/inbox/code/*.md",
                "rm -rf ../hive",
                "rm -rf ../h*",
                "git -C ../hive rm -rf .deia",
                "cp evil.yaml ../hive/.deia/trust.yaml",
                "mv ../hive/.deia ../gone",
                "tee ../hive/.deia/do-not-read/x.yaml < /dev/null",
                "cd \"$SOMEWHERE\" && rm -rf .deia/telemetry",
                "python3 -c 'open(\"../hive/.deia/telemetry/rse.jsonl\", \"w\")'",
                "echo x > ~/.config/pheromone/guards",
                "rsm --root ../hive unlock hive",
            })
    void noRecordOfAnyHiveIsWritten(String command) {
        assertBlocked(command);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cat ../hive/secret.txt",
                "cd ../hive && cat secret.txt",
                "cat ../hive/*.txt",
                "cat ../h*/secret.txt",
                "grep -r x ../hive",
                "rm ../hive/kept.txt",
                "sed -i s/a/b/ ../hive/kept.txt",
                "cp open.txt ../hive/kept.txt",
                "cat ~/../hive/secret.txt",
            })
    void theLocksOfAnyHiveHold(String command) {
        lock("lock", "dnr", "secret.txt");
        lock("lock", "do-not-alter", "kept.txt");
        assertBlocked(command);
    }

    @Test
    void aFrozenHiveIsFrozenForWhoStandsElsewhere() {
        lock("lock", "hive", "--reason", "audit");
        assertBlocked("cat ../hive/.deia/telemetry/rse.jsonl");
        assertBlocked("touch ../hive/.deia/inbox/code/new.md");
    }

    @Test
    void aLinkLeadsToTheHiveBehindIt() throws IOException {
        lock("lock", "dnr", "secret.txt");
        for (String standing : List.of("free", "nowhere")) {
            Path here = session.home.resolveSibling(standing);
            Files.createSymbolicLink(here.resolve("away"), hive);
            Files.createSymbolicLink(
                    here.resolve("log"), hive.resolve(".deia/telemetry/rse.jsonl"));
        }
        assertBlocked("cat away/secret.txt");
        assertBlocked("echo x >> log");
        assertBlocked("echo x >> l*g");
        assertBlocked("rm -r away/.deia/archive");
        assertFree("cat away/open.txt");
    }

    @Test
    void whatTouchesNoRecordAndNothingLockedIsFree() {
        lock("lock", "dnr", "secret.txt");
        assertFree("cat ../hive/open.txt ../hive/.deia/telemetry/rse.jsonl");
        assertFree("echo x > ../hive/open.txt");
        assertFree("make test && ls -la /");
        assertFree("echo '.deia is a folder'");
        assertFree("touch ../hive/.deia/inbox/code/new.md");
    }

    /// What can't be read may say anything.
    @Test
    void aHiveWhoseLocksCantBeReadIsLockedAndNamed() throws IOException {
        Files.createDirectories(hive.resolve(".deia/do-not-read"));
        Files.writeString(hive.resolve(".deia/do-not-read/broken.yaml"), "{\n");
        assertBlocked("cat ../hive/open.txt");
        assertThat(hook("nowhere", "cat ../hive/open.txt").err()).contains(hive.toString());
        assertFree("cat notes.txt");
    }

    @Test
    void whatIsNoHiveThoughItsNameSaysSoIsLockedAndNamed() throws IOException {
        Path odd = Files.createDirectories(session.home.resolveSibling("odd"));
        Files.writeString(odd.resolve(".deia"), "a file\n");
        assertBlocked("cat ../odd/open.txt");
        assertThat(hook("nowhere", "cat ../odd/open.txt").err())
                .contains(odd.resolve(".deia").toString());
        assertFree("cat notes.txt");
    }

    @Test
    void theRefusalIsInTheLogOfTheHiveThatWasTouched() throws IOException {
        assertThat(hook("nowhere", "rm ../hive/.deia/telemetry/rse.jsonl").exit()).isEqualTo(2);
        assertThat(Files.readString(hive.resolve(".deia/telemetry/rse.jsonl")))
                .contains("\"policy_guard\"", "\"for-people\"");
    }
}
