package dev.pheromone.hooks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.text.Json;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// What a tool call names for writing, where no lock stands against the call.
class WritesTest {

    private static List<WrittenPath> written(
            Harness harness, String event, String tool, Json.Obj input) {
        Json.Obj call =
                Json.obj()
                        .put("cwd", "/repo")
                        .put("hook_event_name", event)
                        .put("tool_name", tool)
                        .put("tool_input", input);
        ToolCallCheck.Judged judged =
                new ToolCallCheck(harness, TableLocks.of("dnr"), Map.of())
                        .judge(
                                event,
                                call.toString().getBytes(StandardCharsets.UTF_8),
                                Path.of("/"));
        return judged.written();
    }

    private static List<WrittenPath> byShell(String command) {
        return written(Harness.CLAUDE, "PreToolUse", "Bash", Json.obj().put("command", command));
    }

    private static WrittenPath file(String path) {
        return new WrittenPath(Path.of(path), false);
    }

    @ParameterizedTest
    @CsvSource({
        "claude, PreToolUse, Edit, file_path",
        "claude, PreToolUse, MultiEdit, file_path",
        "claude, PreToolUse, Write, file_path",
        "claude, PreToolUse, NotebookEdit, notebook_path",
        "gemini, BeforeTool, replace, file_path",
        "gemini, BeforeTool, write_file, file_path",
        "gemini, AfterTool, write_file, file_path",
    })
    void toolsThatEditNameTheirFile(String harness, String event, String tool, String field) {
        assertThat(
                        written(
                                Harness.parse(harness),
                                event,
                                tool,
                                Json.obj().put(field, "src/../src/a.txt").put("content", "x")))
                .containsExactly(file("/repo/src/a.txt"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"PreToolUse", "PostToolUse"})
    void aPatchNamesAllItsFiles(String event) {
        String patch =
                "*** Begin Patch\n*** Update File: src/a.c\n*** Move to: src/b.c\n@@\n-x\n+y\n"
                        + "*** Add File: src/c.c\n+z\n*** Delete File: d.c\n*** End Patch\n";
        assertThat(written(Harness.CODEX, event, "apply_patch", Json.obj().put("command", patch)))
                .containsExactlyInAnyOrder(
                        file("/repo/src/a.c"),
                        file("/repo/src/b.c"),
                        file("/repo/src/c.c"),
                        file("/repo/d.c"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "echo x > src/a.txt           | /repo/src/a.txt",
                "cd src && echo x >> a.txt    | /repo/src/a.txt",
                "sed -i s/a/b/ src/a.txt      | /repo/src/a.txt",
                "rm src/a.txt                 | /repo/src/a.txt",
                "cp README.md src/a.txt       | /repo/src/a.txt",
                "tee src/a.txt < README.md    | /repo/src/a.txt",
                "touch src/a.txt              | /repo/src/a.txt",
            })
    void shellCommandsNameTheirTarget(String command, String path) {
        assertThat(byShell(command)).contains(file(path));
    }

    @Test
    void aFolderIsMeantWithAllThatIsInIt() {
        assertThat(byShell("rm -rf src")).contains(new WrittenPath(Path.of("/repo/src"), true));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cat src/a.txt",
                "grep -r x src",
                "git status",
                "git diff src/a.txt",
                "ls -la src",
                "mytool src/a.txt",
                "python3 x.py src/a.txt",
            })
    void whatReadsOrIsOnlyGuessedWritesNothing(String command) {
        assertThat(byShell(command)).isEmpty();
    }

    @Test
    void whatIsBlockedWritesNothing() {
        assertThat(byShell("echo x > src/a.txt; cat secret.txt")).isEmpty();
    }

    @Test
    void claudeIsToldBeforeAndSoNotAfter() {
        assertThat(
                        written(
                                Harness.CLAUDE,
                                "PostToolUse",
                                "Write",
                                Json.obj().put("file_path", "src/a.txt").put("content", "x")))
                .isEmpty();
    }
}
