package dev.pheromone.hooks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.guard.Access;
import dev.pheromone.guard.LockKind;
import dev.pheromone.guard.Verdict;
import dev.pheromone.text.Json;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

class ToolCallCheckTest {
    private static final Path ELSEWHERE = Path.of("/");

    private static Decision decide(Harness harness, Locks locks, String tool, Json.Obj input) {
        return decideText(
                harness,
                locks,
                Json.obj()
                        .put("session_id", "7f3a")
                        .put("cwd", "/repo")
                        .put("hook_event_name", harness.event())
                        .put("tool_name", tool)
                        .put("tool_input", input)
                        .put("some_new_field", Json.arr(Json.of(1)))
                        .toString());
    }

    private static Decision decideText(Harness harness, Locks locks, String json) {
        return new ToolCallCheck(harness, locks, Map.of())
                .decide(harness.event(), json.getBytes(StandardCharsets.UTF_8), ELSEWHERE);
    }

    private static void assertBlocked(Decision decision) {
        assertThat(decision).isInstanceOf(Decision.Blocked.class);
        assertThat(decision.toString()).doesNotContain("could not be checked");
    }

    private static void assertFree(Decision decision) {
        assertThat(decision).isEqualTo(Decision.FREE);
    }

    private static Json.Obj field(String name, String value) {
        return Json.obj().put(name, value);
    }

    @Nested
    class Claude {
        private final Locks locks = TableLocks.of("dnr");

        private Decision use(String tool, Json.Obj input) {
            return decide(Harness.CLAUDE, locks, tool, input);
        }

        @Test
        void readsAndEditsByPath() {
            assertBlocked(use("Read", field("file_path", "/repo/secret.txt")));
            assertBlocked(use("Read", field("file_path", "secret.txt")));
            assertFree(use("Read", field("file_path", "/repo/README.md")));
            for (String tool : List.of("Edit", "MultiEdit", "Write")) {
                assertBlocked(use(tool, field("file_path", "/repo/vault/key.pem")));
                assertFree(use(tool, field("file_path", "/repo/docs/secret.txt")));
            }
            assertBlocked(use("NotebookEdit", field("notebook_path", "/repo/vault/a.ipynb")));
        }

        @Test
        void writesUnderTheWeakerLocks() {
            Locks alter = TableLocks.of("alter");
            Json.Obj version = field("file_path", "/repo/VERSION");
            assertFree(decide(Harness.CLAUDE, alter, "Read", version));
            assertBlocked(decide(Harness.CLAUDE, alter, "Edit", version));
            assertBlocked(decide(Harness.CLAUDE, alter, "Write", version));
        }

        @Test
        void searchesFolders() {
            assertBlocked(use("Grep", field("pattern", "key")));
            assertBlocked(use("Grep", field("pattern", "key").put("path", "/repo")));
            assertFree(use("Grep", field("pattern", "key").put("path", "/repo/docs")));
            assertFree(use("Grep", field("pattern", "key").put("path", "docs")));
            assertBlocked(use("Grep", field("pattern", "key").put("path", "vault")));
        }

        @Test
        void searchesFilesOfOneTypeOnly() {
            Locks key = TableLocks.none().with(LockKind.DNR, "conf/prod.key");
            Json.Obj all = field("pattern", "x");
            assertFree(decide(Harness.CLAUDE, key, "Grep", all.put("type", "ts")));
            for (String type : List.of("", "nobody-knows")) {
                assertBlocked(decide(Harness.CLAUDE, key, "Grep", all.put("type", type)));
            }
            assertBlocked(use("Grep", all.put("type", "txt")));
            assertBlocked(use("Grep", all.put("type", "ts")));
            assertFree(use("Grep", all.put("type", "ts").put("glob", "!vault")));
        }

        @Test
        void listsNames() {
            assertBlocked(use("Glob", field("pattern", "**/*.pem")));
            assertBlocked(use("Glob", field("pattern", "**/*.txt")));
            assertBlocked(use("Glob", field("pattern", "vault/*")));
            assertFree(use("Glob", field("pattern", "docs/**/*.md")));
            assertFree(use("Glob", field("pattern", "*.md").put("path", "/repo/docs")));
            assertBlocked(use("LS", field("path", "/repo/vault")));
            assertFree(use("LS", field("path", "/repo/docs")));
        }

        @Test
        void runsCommands() {
            assertBlocked(use("Bash", field("command", "cat secret.txt").put("timeout", 1000)));
            assertFree(use("Bash", field("command", "mvn test").put("description", "secret.txt")));
            assertBlocked(use("Bash", Json.obj()));
        }

        @Test
        void usesToolsThatWeDoNotKnow() {
            assertBlocked(use("mcp__files__read", field("path", "/repo/secret.txt")));
            assertBlocked(use("mcp__files__read", field("uri", "file:///repo/secret.txt")));
            assertBlocked(
                    use(
                            "mcp__files__many",
                            Json.obj().putTexts("paths", List.of("README.md", "secret.txt"))));
            assertBlocked(use("mcp__files__tree", field("root", "/repo")));
            assertBlocked(use("mcp__shell__run", field("command", "cat sec''ret.txt")));
            assertFree(use("mcp__issues__comment", field("text", "please look at secret.txt")));
            assertFree(use("Task", field("prompt", "do not read secret.txt")));
            assertFree(use("WebFetch", field("url", "https://example.com/secret.txt")));
        }

        @Test
        void isFreeToDoOtherThingsThanUsingTools() {
            var check = new ToolCallCheck(Harness.CLAUDE, TableLocks.of("all"), Map.of());
            byte[] call =
                    """
                    {"hook_event_name":"PostToolUse","tool_name":"Read",
                     "tool_input":{"file_path":"/repo/secret.txt"}}\
                    """
                            .getBytes(StandardCharsets.UTF_8);
            assertFree(check.decide("PostToolUse", call, ELSEWHERE));
            assertFree(check.decide("posttooluse", call, ELSEWHERE));
            assertFree(check.decide("SessionStart", new byte[0], ELSEWHERE));
        }
    }

    @Nested
    class Codex {
        private final Locks locks = TableLocks.of("alter");

        private Decision use(String tool, Json.Obj input) {
            return decide(Harness.CODEX, locks, tool, input);
        }

        @Test
        void runsACommandAsTextOrAsWords() {
            assertBlocked(use("Bash", field("command", "echo 2 > VERSION")));
            assertBlocked(
                    use(
                            "shell",
                            Json.obj()
                                    .putTexts(
                                            "command",
                                            List.of("bash", "-lc", "echo 2 > VERSION"))));
            assertBlocked(use("shell", Json.obj().putTexts("command", List.of("rm", "VERSION"))));
            assertFree(use("shell", Json.obj().putTexts("command", List.of("cat", "VERSION"))));
            assertBlocked(use("exec_command", field("cmd", "rm VERSION").put("workdir", "/repo")));
            assertFree(use("exec_command", field("cmd", "rm VERSION").put("workdir", "/tmp")));
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "*** Update File: VERSION",
                    "*** Add File: release/new.txt",
                    "*** Delete File: ./VERSION",
                    "*** Update File: README.md\n*** Move to: release/README.md",
                    "*** Update File: /repo/VERSION"
                })
        void patchesFilesThatAreLocked(String headings) {
            String patch = "*** Begin Patch\n" + headings + "\n@@\n-a\n+b\n*** End Patch\n";

            assertBlocked(use("apply_patch", field("command", patch)));
        }

        @Test
        void patchesOtherFiles() {
            String patch =
                    """
                    *** Begin Patch
                    *** Update File: README.md
                    @@
                    -a
                    +*** not a heading of VERSION
                    *** End Patch
                    """;
            assertFree(use("apply_patch", field("command", patch)));
            assertBlocked(use("apply_patch", field("command", "no patch at all")));
            assertBlocked(use("apply_patch", Json.obj()));
        }
    }

    @Nested
    class Gemini {
        private final Locks locks = TableLocks.of("dnr");

        private Decision use(String tool, Json.Obj input) {
            return decide(Harness.GEMINI, locks, tool, input);
        }

        @Test
        void usesItsOwnTools() {
            assertBlocked(use("read_file", field("file_path", "secret.txt")));
            assertBlocked(use("read_file", field("absolute_path", "/repo/secret.txt")));
            assertFree(use("read_file", field("file_path", "README.md")));
            assertBlocked(use("write_file", field("file_path", "vault/x").put("content", "")));
            assertBlocked(use("replace", field("file_path", "secret.txt")));
            assertBlocked(use("list_directory", field("dir_path", "vault")));
            assertBlocked(use("glob", field("pattern", "*.txt")));
            assertBlocked(use("search_file_content", field("pattern", "key")));
            assertFree(use("search_file_content", field("pattern", "key").put("dir_path", "docs")));
            assertBlocked(
                    use("read_many_files", Json.obj().putTexts("include", List.of("**/*.txt"))));
            assertFree(
                    use("read_many_files", Json.obj().putTexts("include", List.of("docs/*.md"))));
            assertBlocked(use("run_shell_command", field("command", "cat secret.txt")));
            assertFree(
                    use(
                            "run_shell_command",
                            field("command", "cat secret.txt").put("directory", "docs")));
        }
    }

    @Nested
    class WhatOnlyPeopleChange {
        @ParameterizedTest
        @ValueSource(
                strings = {
                    ".deia/trust.yaml",
                    ".deia/hive.yaml",
                    ".deia/do-not-read/a.yaml",
                    ".deia/do-not-alter/a.yaml",
                    ".deia/do-not-erase/a.yaml",
                    ".deia/overrides/ALLOW-WRITE-1",
                    ".deia/mute/ada.yaml",
                    ".deia/tools/policy_guard.sh",
                    ".deia/ROTG-2-RESPECT-DO-NOT-ERASE.lock",
                    ".DEIA/Trust.yaml",
                    "docs/../.deia/trust.yaml",
                    ".embargo/inbox/queen-code/x.md"
                })
        void isNotWrittenEvenWithoutALock(String path) {
            Locks none = TableLocks.none();
            assertBlocked(decide(Harness.CLAUDE, none, "Write", field("file_path", path)));
            assertFree(decide(Harness.CLAUDE, none, "Read", field("file_path", path)));
        }

        @Test
        void isKnownBehindALink() {
            Locks linked = TableLocks.none().withLink("d", ".deia");
            assertBlocked(
                    decide(Harness.CLAUDE, linked, "Write", field("file_path", "d/trust.yaml")));
            assertFree(decide(Harness.CLAUDE, linked, "Write", field("file_path", "d/inbox/x.md")));
        }
    }

    @Nested
    class WhatCannotBeRead {
        @ParameterizedTest
        @ValueSource(
                strings = {
                    "",
                    "{",
                    "[]",
                    "null",
                    "{\"tool_name\":",
                    "\u0000",
                    "{\"cwd\":\"a\\u0000b\"}"
                })
        void isBlockedWhileALockExistsAndFreeOtherwise(String json) {
            assertThat(decideText(Harness.CLAUDE, TableLocks.of("erase"), json))
                    .isInstanceOf(Decision.Blocked.class);
            assertFree(decideText(Harness.CLAUDE, TableLocks.none(), json));
        }

        @Test
        void isBlockedAlsoIfItIsTooLong() {
            var check = new ToolCallCheck(Harness.CLAUDE, TableLocks.of("erase"), Map.of());
            byte[] json = new byte[ToolCallCheck.INPUT_BYTES_MAX + 1];

            assertThat(check.decide("PreToolUse", json, ELSEWHERE))
                    .isInstanceOf(Decision.Blocked.class);
        }

        @Test
        void isBlockedIfTheLocksFail() {
            Locks broken =
                    new Locks() {
                        @Override
                        public List<Path> roots() {
                            throw new IllegalStateException("the disk is gone");
                        }

                        @Override
                        public List<LockedArea> areas() {
                            return List.of();
                        }

                        @Override
                        public Verdict check(Path path, Access access) {
                            return Verdict.ALLOWED;
                        }
                    };
            assertThat(decide(Harness.CLAUDE, broken, "Read", field("file_path", "a")))
                    .isInstanceOf(Decision.Blocked.class);
        }
    }

    @Test
    void bracesOfLocksMayBeNestedOrEscaped() {
        TableLocks locks =
                TableLocks.none()
                        .with(LockKind.DNR, "{docs,{src,lib}}/x.txt")
                        .with(LockKind.DNR, "{m\\,n,zz}/x.txt");
        for (String path : List.of("docs/x.t*", "src/x.t*", "lib/x.t*", "m,n/x.t*", "zz/x.t*")) {
            assertBlocked(decide(Harness.CLAUDE, locks, "Bash", field("command", "cat " + path)));
        }
        assertFree(decide(Harness.CLAUDE, locks, "Bash", field("command", "cat m/x.t*")));
    }

    @Test
    void aLockedContentIsNotWrittenAnywhere() {
        TableLocks locks = TableLocks.none().withContent("drop it");
        assertBlocked(
                decide(
                        Harness.CLAUDE,
                        locks,
                        "Write",
                        field("file_path", "new.txt").put("content", "drop it")));
        assertFree(
                decide(
                        Harness.CLAUDE,
                        locks,
                        "Write",
                        field("file_path", "new.txt").put("content", "keep it")));
    }

    @Nested
    class Links {
        @Test
        void leadWildcardsToWhatIsLocked() {
            TableLocks locks =
                    TableLocks.of("dnr")
                            .withLink("docs/alias.txt", "secret.txt")
                            .withNames("docs", "a.md", "alias.txt");
            assertBlocked(decide(Harness.CLAUDE, locks, "Bash", field("command", "cat docs/*")));
            assertBlocked(decide(Harness.CLAUDE, locks, "Bash", field("command", "cat docs/al*")));
            assertFree(decide(Harness.CLAUDE, locks, "Bash", field("command", "cat docs/*.md")));
            assertBlocked(
                    decide(Harness.CLAUDE, locks, "Read", field("file_path", "docs/alias.txt")));
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "grep -r foo z*",
                    "grep -r foo docs/*",
                    "cp -rH docs/* /tmp/q",
                    "rsync -a d*/l/ /tmp/q",
                    "find d*/l/ -type f -exec cat {} +",
                })
        void leadWildcardsToFoldersWithWhatIsLocked(String command) {
            TableLocks locks =
                    TableLocks.none()
                            .with(LockKind.DNR, "lib/x.txt")
                            .withLink("zz", "lib")
                            .withLink("docs/l", "lib")
                            .withNames("", "docs", "lib", "zz")
                            .withNames("docs", "a.md", "l");
            assertBlocked(decide(Harness.CLAUDE, locks, "Bash", field("command", command)));
            assertFree(
                    decide(Harness.CLAUDE, locks, "Bash", field("command", "grep -r x docs/a*")));
        }
    }
}
