package dev.pheromone.hooks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.guard.LockKind;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// Tool calls as no agent program makes them today, or only some: none is a way around.
class OddToolCallsTest {

    private static Decision decide(Locks locks, String json) {
        return new ToolCallCheck(Harness.CLAUDE, locks, Map.of("HOME", "/home/sam"))
                .decide("PreToolUse", json.getBytes(StandardCharsets.UTF_8), Path.of("/"));
    }

    private static String call(String toolAndInput) {
        int end = toolAndInput.indexOf(' ');
        return "{\"cwd\":\"/repo\",\"tool_name\":\"%s\",\"tool_input\":%s}"
                .formatted(toolAndInput.substring(0, end), toolAndInput.substring(end + 1));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Read {'file_path':' secret.txt'}",
                "Read {'file_path':'@secret.txt'}",
                "Read {'file_path':'file:///repo/secret.txt'}",
                "Read {'file_path':['secret.txt']}",
                "Read {'file_path':'README.md','path':'secret.txt'}",
                "Read 'secret.txt'",
                "Read {}",
                "Read []",
                "Glob {'pattern':'[[:lower:]]ault/*'}",
                "Glob {'pattern':'@(vault)/*'}",
                "Glob {'pattern':'../vault/*','path':'docs'}",
                "ReadMcpResourceTool {'uri':'FILE:///repo/secret.txt'}",
                "ReadMcpResourceTool {'uri':'file://localhost/repo/secret.txt'}",
                "ReadMcpResourceTool {'uri':'file:///repo/s%65cret.txt'}",
                "mcp__x {'a':{'b':[{'c':'secret.txt'}]}}",
                "mcp__x {'secret.txt':true}",
                "mcp__x {'glob':'s*.txt'}",
                "write_stdin {'session_id':1,'chars':'cat secret.txt\\n'}",
                "shell {'command':['cat',{'a':'secret.txt'}]}",
                "Bash {'command':'ls','cmd':'cat secret.txt'}",
                "Bash {'command':5}",
                "grep_files {'pattern':'x'}",
                "list_dir {'dir_path':'vault'}",
                "LSP {'filePath':'secret.txt'}",
                "Monitor {'command':'tail -f secret.txt'}",
                "js_repl {'code':'require(1)'}",
                "exec_command {'cmd':'bash','tty':true}",
                "exec_command {'cmd':'python3 -i','tty':true}",
                "Bash {'command':'bash'}",
                "Bash {'command':'/bin/sh -i'}",
                "Bash {'command':'python3 -i'}",
                "view {'path':'/repo/secret.txt'}",
                "read {'filePath':'/repo/secret.txt'}",
                "bash {'command':'cat secret.txt'}",
                "grep {'pattern':'x','paths':['docs','/repo/vault']}",
                "grep {'pattern':'x','paths':'/repo/vault'}",
                "glob {'pattern':'*','paths':['/repo/vault']}",
                "Write {'file_path':'.claude/skills/x/SKILL.md','content':'a !`cat secret.txt` b'}",
                "Write {'file_path':'/home/sam/.claude/commands/x.md','content':'a ! `ls` b'}",
                "Write {'file_path':'.gemini/commands/x.toml','content':'prompt = \\'!{ls}\\''}",
                "write {'filePath':'.opencode/command/x.md','content':'```!\\nls\\n```'}",
                "Edit {'file_path':'.claude/skills/x/SKILL.md','old_string':'a','new_string':'b'}",
                "Bash {'command':'echo hello > .claude/commands/x.md'}",
                "Bash {'command':'cp docs/x.md .claude/skills/x/SKILL.md'}",
                "apply_patch {'command':'*** Update File: .claude/skills/x/SKILL.md'}",
                "Bash {'command':'gemini --skip-trust --yolo'}",
                "mcp__run__it {'args':['bash','-c','cat secret.txt']}",
                "mcp__run__it {'argv':['sh','-c','cat vault/*']}",
                "mcp__run__it {'cmdline':'cat secret.txt'}",
                "mcp__run__it {'line':'cat secret.txt'}",
                "mcp__run__it {'options':{'expression':'open(\\'secret.txt\\')'}}",
            })
    void areBlockedUnderALock(String toolAndInput) {
        assertThat(decide(TableLocks.of("dnr"), call(toolAndInput.replace('\'', '"'))))
                .isInstanceOf(Decision.Blocked.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "mcp__fs__move {'source':'.deia','destination':'x'}",
                "apply_patch {'command':['apply_patch','*** Delete File: .deia/trust.yaml']}",
                "apply_patch {'command':'*** Update File: a\\n*** Move to: .deia/trust.yaml'}",
                "Bash {'command':'ls','cmd':'rm .deia/trust.yaml'}",
                "Bash {'command':'rm trust.yaml','workdir':'.deia'}",
                "write {'filePath':'.deia/trust.yaml'}",
                "mcp__run__it {'args':['bash','-c','rm -rf .deia']}",
                "mcp__run__it {'cmdline':'rsm unlock hive --by me'}",
                "PowerShell {'command':'Remove-Item .deia/trust.yaml'}",
            })
    void changeNothingThatIsForPeople(String toolAndInput) {
        assertThat(decide(TableLocks.none(), call(toolAndInput.replace('\'', '"'))))
                .isInstanceOf(Decision.Blocked.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "write_stdin {'session_id':1,'chars':''}",
                "write_stdin {'session_id':1,'chars':'\\u0003'}",
                "Skill {'command':'pdf'}",
                "WebFetch {'url':'https://example.com/secret.txt','prompt':'x'}",
                "TodoWrite {'todos':[{'content':'read secret.txt','status':'pending'}]}",
                "KillShell {'shell_id':'1'}",
                "mcp__tracker__comment {'body':'who may read secret.txt?','labels':['docs','ask']}",
                "Task {'prompt':'leave secret.txt alone','description':'tidy docs'}",
                "grep_files {'pattern':'x','path':'docs'}",
                "exec_command {'cmd':'ls docs','tty':false}",
                "view {'path':'/repo/README.md'}",
                "grep {'pattern':'x','paths':['/repo/docs','/repo/src']}",
                "Write {'file_path':'.claude/skills/x/SKILL.md','content':'plain words!'}",
                "Glob {'pattern':'docs/*.md'}",
            })
    void areFreeWhereTheyTouchNothing(String toolAndInput) {
        assertThat(decide(TableLocks.of("dnr"), call(toolAndInput.replace('\'', '"'))))
                .isEqualTo(Decision.FREE);
    }

    @Test
    void callsThatAreNoneAreBlocked() {
        for (String json :
                List.of(
                        "",
                        "null",
                        "[]",
                        "{\"cwd\":\"/repo\"}",
                        "{\"tool_name\":5,\"cwd\":\"/repo\"}",
                        "{\"tool_name\":\"Read\",\"cwd\":[],\"tool_input\":{\"path\":\"x\"}}",
                        "[".repeat(100_000))) {
            assertThat(decide(TableLocks.of("dnr"), json)).isInstanceOf(Decision.Blocked.class);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "CLAUDE, PreToolUse, pretooluse",
        "CLAUDE, pretooluse, PreToolUse",
        "CLAUDE, pretooluse, ''",
        "CLAUDE, PreToolUse, PostToolUse",
        "CLAUDE, PostToolUse, PreToolUse",
        "CLAUDE, BeforeTool, BeforeTool",
        "CODEX, PRETOOLUSE, ''",
        "GEMINI, BeforeTool, PreToolUse",
        "GEMINI, PreToolUse, ''",
        "GEMINI, PreToolUse, PreToolUse",
        "GEMINI, beforetool, Unheard",
    })
    void eventsThatDoNotFitAreToolCallsIfTheyHaveATool(
            Harness harness, String argument, String named) {
        String event = named.isEmpty() ? "" : "\"hook_event_name\":\"" + named + "\",";
        assertThat(
                        decide(
                                harness,
                                argument,
                                "{"
                                        + event
                                        + "\"tool_name\":\"Read\",\"tool_input\":"
                                        + "{\"file_path\":\"/repo/secret.txt\"}}"))
                .isInstanceOf(Decision.Blocked.class);
    }

    @ParameterizedTest
    @CsvSource({
        "CLAUDE, PostToolUse, PostToolUse",
        "CLAUDE, PreToolUse, SessionStart",
        "GEMINI, aftertool, AfterTool",
        "GEMINI, Unheard, Unheard",
    })
    void otherEventsWithoutAToolAreFree(Harness harness, String argument, String named) {
        assertThat(decide(harness, argument, "{\"hook_event_name\":\"" + named + "\"}"))
                .isEqualTo(Decision.FREE);
    }

    private static Decision decide(Harness harness, String event, String json) {
        return new ToolCallCheck(harness, TableLocks.of("dnr"), Map.of())
                .decide(event, json.getBytes(StandardCharsets.UTF_8), Path.of("/"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"toolName\":\"view\",\"toolArgs\":{\"path\":\"/repo/secret.txt\"}}",
                "{\"toolName\":\"view\",\"toolArgs\":\"{\\\"path\\\":\\\"/repo/secret.txt\\\"}\"}",
                "{\"toolName\":\"unheard\",\"toolArgs\":\"/repo/secret.txt\"}",
                "{\"toolName\":\"bash\",\"cwd\":\"/repo\",\"toolArgs\":{\"command\":\"cat"
                        + " secret.txt\"}}",
            })
    void copilotsOwnNamesAreUnderstood(String json) {
        assertThat(decide(Harness.COPILOT, "preToolUse", json))
                .isInstanceOf(Decision.Blocked.class);
    }

    @Test
    void whatCopilotMayReadIsFree() {
        String json =
                "{\"cwd\":\"/repo\",\"toolName\":\"view\",\"toolArgs\":{\"path\":\"/repo/a.txt\"}}";

        assertThat(decide(Harness.COPILOT, "preToolUse", json)).isEqualTo(Decision.FREE);
        assertThat(decide(Harness.COPILOT, "agentStop", "{\"cwd\":\"/repo\"}"))
                .isEqualTo(Decision.FREE);
    }

    @Test
    void withoutALockATerminalAndASkillAreFree() {
        for (String call :
                List.of(
                        "exec_command {'cmd':'bash','tty':true}",
                        "Edit {'file_path':'.claude/skills/x/SKILL.md','old_string':'a'}",
                        "Write {'file_path':'.claude/skills/x/SKILL.md','content':'!`ls`'}")) {
            assertThat(decide(TableLocks.none(), call(call.replace('\'', '"'))))
                    .isEqualTo(Decision.FREE);
        }
    }

    @Test
    void onlyWhatARuleRefusedIsToldAfterwards() {
        String batch =
                """
                {"session_id": "s", "cwd": "/repo", "tool_calls": [
                  {"tool_name": "Read", "tool_input": {"file_path": "/repo/secret.txt"},
                   "tool_response": "<tool_use_error>File is denied by your permission settings.</tool_use_error>"},
                  {"tool_name": "Read", "tool_input": {"file_path": "/repo/a.txt"}, "tool_response": "text"},
                  {"tool_name": "Read", "tool_response": {"type": "text"}}, 5]}\
                """;
        List<byte[]> refused = RefusedCalls.of(batch.getBytes(StandardCharsets.UTF_8));

        assertThat(refused).hasSize(1);
        assertThat(
                        decide(
                                Harness.CLAUDE,
                                "PreToolUse",
                                new String(refused.getFirst(), StandardCharsets.UTF_8)))
                .isInstanceOf(Decision.Blocked.class);
        for (String nothing : List.of("", "[]", "{}", "{\"tool_calls\": 5}")) {
            assertThat(RefusedCalls.of(nothing.getBytes(StandardCharsets.UTF_8))).isEmpty();
        }
    }

    @Test
    void whatIsBlockedNamesItsLockAndItsPath() {
        Decision decision =
                decide(TableLocks.of("dnr"), call("Read {\"file_path\":\"/repo/secret.txt\"}"));
        assertThat(decision)
                .isInstanceOfSatisfying(
                        Decision.Blocked.class,
                        blocked -> {
                            assertThat(blocked.lock().kind()).isEqualTo(LockKind.DNR);
                            assertThat(blocked.path()).isEqualTo("/repo/secret.txt");
                        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "a,", "a ", "(a", "x=y;", "import x;", "x => "})
    void longCodeIsFollowedToItsEnd(String repeated) {
        String end = "; import shutil; shutil.rmtree('.deia')";
        for (int count : List.of(100, 1_000, 8_000)) {
            String code = "x='" + repeated.repeat(count / repeated.length()) + "'" + end;
            String bare = repeated.repeat(count / repeated.length()) + end;
            for (String text : List.of(code, bare)) {
                String command = "{\"command\":\"python3 -c \\\"" + text + "\\\"\"}";
                assertThat(decide(TableLocks.none(), call("Bash " + command)))
                        .as("%s, %d", repeated, count)
                        .isInstanceOf(Decision.Blocked.class);
            }
        }
    }
}
