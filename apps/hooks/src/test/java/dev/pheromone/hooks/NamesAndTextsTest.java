package dev.pheromone.hooks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.guard.LockKind;
import dev.pheromone.text.Json;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;

/// Tools that only list names or carry texts are free; those that nobody follows are not.
class NamesAndTextsTest {
    private static Decision use(Harness harness, Locks locks, String tool, Json.Obj input) {
        String json =
                Json.obj()
                        .put("cwd", "/repo")
                        .put("hook_event_name", harness.event())
                        .put("tool_name", tool)
                        .put("tool_input", input)
                        .toString();
        return new ToolCallCheck(harness, locks, Map.of())
                .decide(harness.event(), json.getBytes(StandardCharsets.UTF_8), Path.of("/"));
    }

    private static Decision use(String tool, String field, String value) {
        return use(Harness.CLAUDE, TableLocks.of("file"), tool, Json.obj().put(field, value));
    }

    private static void assertBlocked(Decision decision) {
        assertThat(decision).isInstanceOf(Decision.Blocked.class);
    }

    private static void assertFree(Decision decision) {
        assertThat(decision).isEqualTo(Decision.FREE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"**/*.java", "*", "docs/**", "**/*.{ts,tsx}"})
    void patternsThatFitNoLockedNameAreFree(String pattern) {
        assertFree(use("Glob", "pattern", pattern));
    }

    @Test
    void whatMayNameTheLockedFileIsBlocked() {
        assertBlocked(use("Glob", "pattern", "**/*.{md,txt}"));
        assertBlocked(use("Glob", "pattern", "src/**"));
        assertBlocked(use("Glob", "pattern", "src/secret.txt"));
        assertBlocked(use("LS", "path", "src/secret.txt"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"*.tmp", "*.md"})
    void aSearchErasesNothingOfPeoplesThatItFinds(String pattern) {
        TableLocks locks =
                TableLocks.none()
                        .withNames(".deia/do-not-read", "old.tmp")
                        .withNames(".embargo", "inbox")
                        .withNames(".embargo/inbox", "a.md");
        String command = "find . -name '%s' -delete";

        assertBlocked(
                use(
                        Harness.CLAUDE,
                        locks,
                        "Bash",
                        Json.obj().put("command", command.formatted(pattern))));
        assertFree(
                use(
                        Harness.CLAUDE,
                        locks,
                        "Bash",
                        Json.obj().put("command", command.formatted("*.pyc"))));
    }

    @Test
    void namesInALockedFolderMayNotBeListed() {
        Json.Obj all = Json.obj().put("pattern", "**/*.java");
        assertBlocked(use(Harness.CLAUDE, TableLocks.of("project"), "Glob", all));
    }

    @Test
    void aSearchIsLimitedByItsNames() {
        Json.Obj search = Json.obj().put("pattern", "key");
        Locks locks = TableLocks.of("file");
        assertBlocked(use(Harness.CLAUDE, locks, "Grep", search));
        assertFree(use(Harness.CLAUDE, locks, "Grep", search.put("glob", "*.java *.{ts,tsx}")));
        assertBlocked(use(Harness.CLAUDE, locks, "Grep", search.put("glob", "*.java *.txt")));
        assertBlocked(use(Harness.CLAUDE, locks, "Grep", search.put("glob", "!*.java")));
        assertBlocked(use(Harness.CLAUDE, locks, "Grep", search.put("glob", ".env")));
    }

    @Test
    void textsForPeopleAndServersAreFree() {
        assertFree(use("WebSearch", "query", "src/secret.txt"));
        assertFree(use("Skill", "args", "don't cat src/secret.txt"));
        assertFree(use("ExitPlanMode", "plan", "leave src/secret.txt as it is"));
        Json.Obj step = Json.obj().put("step", "leave src/secret.txt as it is");
        Json.Obj plan = Json.obj().put("plan", Json.arr(step));
        assertFree(use(Harness.CODEX, TableLocks.of("file"), "update_plan", plan));
    }

    @Test
    void whatNobodyFollowsIsBlockedWhileThereIsALock() {
        assertBlocked(use("PowerShell", "command", "Get-Content src\\secret.txt"));
        assertBlocked(use("PowerShell", "command", "Get-ChildItem"));
        assertBlocked(use("EnterWorktree", "name", "topic"));
        assertBlocked(use("mcp__git__git_diff_unstaged", "repo_path", "/repo/docs"));
        assertFree(use("mcp__github__create_pull_request", "title", "about src/secret.txt"));
        Json.Obj command = Json.obj().put("command", "Get-ChildItem");
        assertFree(use(Harness.CLAUDE, TableLocks.none(), "PowerShell", command));
        assertFree(use(Harness.CLAUDE, TableLocks.none(), "EnterWorktree", Json.obj()));
    }

    @Test
    void reasonsNameALockThatAPersonDeclaredAndAWayOut() {
        TableLocks locks =
                TableLocks.none()
                        .with(LockKind.DNR, ".embargo/locked/*.jsonl")
                        .with(LockKind.DNR, "src/*.pem");
        for (String command : new String[] {"git show", "cat $x", "cat -- */*"}) {
            Json.Obj input = Json.obj().put("command", command);
            Decision decision = use(Harness.CLAUDE, locks, "Bash", input);

            assertThat(decision)
                    .isInstanceOfSatisfying(
                            Decision.Blocked.class,
                            blocked ->
                                    assertThat(blocked.reason())
                                            .contains("src/*.pem", "name the paths plainly")
                                            .doesNotContain(".embargo"));
        }
    }
}
