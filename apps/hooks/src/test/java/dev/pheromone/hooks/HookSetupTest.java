package dev.pheromone.hooks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.text.Json;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

class HookSetupTest {
    private static final List<String> SETTINGS =
            List.of(
                    "{}",
                    "{}\n",
                    "{\"permissions\": {\"allow\": [], \"deny\": []}}",
                    """
                    {
                      "permissions": {
                        "allow": ["Bash(ls *)"],
                        "deny": []
                      },
                      "hooks": {
                        "PreToolUse": [],
                        "BeforeTool": []
                      }
                    }
                    """,
                    "{\"a\":1}",
                    "{\"a\": 1, \"b\": [1, 2]}",
                    """
                    {
                      "model": "x",
                      "odd"  :   [ 1,2,
                          3 ],
                      "hooks": {
                        "Stop": [
                          {
                            "hooks": [{ "type": "command", "command": "say done" }]
                          }
                        ]
                      }
                    }
                    """,
                    """
                    {
                    \t"hooks": {
                    \t\t"PreToolUse": [
                    \t\t\t{ "matcher": "Bash", "hooks": [ { "type": "command", "command": "/x/other hook" } ] }
                    \t\t],
                    \t\t"BeforeTool": [
                    \t\t\t{ "matcher": "a" }
                    \t\t]
                    \t},
                    \t"permissions": { "allow": ["Bash(ls *)"], "deny": ["Read(./.env)"] }
                    }
                    """,
                    "{\r\n  \"a\": {\r\n    \"b\": null\r\n  }\r\n}\r\n");

    private static HookSetup setup(Harness harness, String... unreadable) {
        return new HookSetup(
                harness, Path.of("/opt/a b/rsm"), Path.of("/repo"), List.of(unreadable));
    }

    @ParameterizedTest
    @EnumSource
    void installingTwiceIsInstallingOnce(Harness harness) throws MalformedSettingsException {
        HookSetup setup = setup(harness, "secret.txt", "vault/**");
        for (String before : SETTINGS) {
            String once = setup.installedIn(before);

            assertThat(once).isNotEqualTo(before);
            assertThat(setup.isCurrentIn(once)).isTrue();
            assertThat(setup.isCurrentIn(before)).isFalse();
            assertThat(setup.installedIn(once)).isEqualTo(once);
        }
    }

    @ParameterizedTest
    @EnumSource
    void removingLeavesTheTextAsItWas(Harness harness) throws MalformedSettingsException {
        HookSetup setup = setup(harness, "secret.txt", "vault/**");
        for (String before : SETTINGS) {
            assertThat(setup.removedFrom(setup.installedIn(before))).isEqualTo(before);
            assertThat(setup.removedFrom(before)).isEqualTo(before);
        }
    }

    @ParameterizedTest
    @EnumSource
    void commentsStayAsTheyAre(Harness harness) throws MalformedSettingsException {
        HookSetup setup = setup(harness, "secret.txt", "vault/**");
        for (String before :
                List.of(
                        "\uFEFF{\"a\": 1}\r\n",
                        "{\"a\": /* b */ 1} // c",
                        """
                        // mine
                        {
                          /* "hooks": { */
                          "model": "a // \\" b", // the large one
                          "url": "https://example.org/*" // last
                        }
                        // end
                        """)) {
            String installed = setup.installedIn(before);

            assertThat(setup.isCurrentIn(installed)).isTrue();
            assertThat(setup.installedIn(installed)).isEqualTo(installed);
            assertThat(setup.removedFrom(installed)).isEqualTo(before);
        }
        assertThatThrownBy(() -> setup.installedIn("{ /* nothing yet */ }"))
                .hasMessageContaining("a comment stands where our hook is");
    }

    @ParameterizedTest
    @EnumSource
    void foreignSettingsStayAsTheyAre(Harness harness) throws Exception {
        for (String before : SETTINGS) {
            Json.Obj old = (Json.Obj) Json.parse(before);
            Json.Obj installed = (Json.Obj) Json.parse(setup(harness, "x").installedIn(before));

            for (String name : old.names()) {
                if (!name.equals("hooks") && !name.equals("permissions")) {
                    assertThat(installed.get(name)).isEqualTo(old.get(name));
                }
            }
            assertThat(installed.names().subList(0, old.size())).isEqualTo(old.names());
        }
    }

    @Test
    void claudeGetsAHookThatBlocksWhenItFailsAndRulesForUnreadablePaths() throws Exception {
        assertThat(setup(Harness.CLAUDE, "secret.txt", "{a,b}/**").installedIn(""))
                .isEqualTo(
                        """
                        {
                          "hooks": {
                            "PreToolUse": [
                              {
                                "hooks": [
                                  {
                                    "type": "command",
                                    "command": "command -v rsm >/dev/null || { echo 'rsm is not on the PATH, and this project has it asked before each step: install Pheromone and type rsm install, or have a person take the hook out of .claude/settings.json' >&2; exit 2; }; rsm hook claude PreToolUse",
                                    "timeout": 15,
                                    "onFailure": "block"
                                  }
                                ]
                              }
                            ]
                          },
                          "permissions": {
                            "deny": [
                              "Read(/secret.txt)",
                              "Edit(/secret.txt)",
                              "Read(/a/**)",
                              "Edit(/a/**)",
                              "Read(/b/**)",
                              "Edit(/b/**)"
                            ]
                          }
                        }
                        """);
    }

    @Test
    void bracesInsideBracesAndEscapedOnesAreTakenAsTheLockMeansThem() throws Exception {
        assertThat(
                        setup(Harness.CLAUDE, "{docs,{src,lib}}/x.txt", "br\\{a,b\\}.txt")
                                .installedIn(""))
                .contains(
                        "Read(/docs/x.txt)",
                        "Read(/src/x.txt)",
                        "Read(/lib/x.txt)",
                        "Read(/br\\\\{a,b\\\\}.txt)")
                .doesNotContain("Read(/br\\\\a", "{src", "lib}");
    }

    @Test
    void codexAndGeminiGetOnlyTheHook() throws Exception {
        assertThat(setup(Harness.CODEX, "secret.txt").installedIn(""))
                .contains("; rsm hook codex PreToolUse\"", "\"timeout\": 15\n")
                .doesNotContain("onFailure", "deny");
        assertThat(setup(Harness.GEMINI, "secret.txt").installedIn(""))
                .contains("; rsm hook gemini BeforeTool\"", "\"timeout\": 15000\n")
                .doesNotContain("onFailure", "deny");
    }

    @Test
    void whatVersion01WroteWithPathsOfOneMachineIsReplaced() throws Exception {
        String old =
                HookSetup.ofMachine(
                                Harness.CLAUDE,
                                Path.of("/old/rsm"),
                                Path.of("/repo"),
                                List.of("gone.txt"))
                        .installedIn(SETTINGS.get(5));
        HookSetup setup = setup(Harness.CLAUDE, "secret.txt");

        assertThat(setup.isCurrentIn(old)).isFalse();
        assertThat(setup.installedIn(old))
                .isEqualTo(setup.installedIn(SETTINGS.get(5)))
                .doesNotContain("/old/rsm", "gone.txt");
        assertThat(setup.removedFrom(old)).isEqualTo(SETTINGS.get(5));
    }

    @ParameterizedTest
    @EnumSource
    void settingsThatTeamsShareNameNoPathOfOneMachine(Harness harness) throws Exception {
        assertThat(setup(harness, "secret.txt").installedIn("")).doesNotContain("/repo", "/opt");
    }

    @ParameterizedTest
    @EnumSource
    void withoutRsmASharedHookBlocksAndSaysWhatToDo(Harness harness) throws Exception {
        Json.Obj settings = (Json.Obj) Json.parse(setup(harness).installedIn(""));
        String group = settings.get("hooks").orElseThrow().toString();
        String command =
                ((Json.Obj)
                                Json.parse(
                                        group.substring(group.indexOf("{\"type\""))
                                                .replaceAll("\\}\\]\\}\\]\\}$", "}")))
                        .optionalText("command")
                        .orElseThrow();
        ProcessBuilder shell = new ProcessBuilder("/bin/sh", "-c", command);
        shell.environment().put("PATH", "/nowhere");
        Process process = shell.redirectErrorStream(true).start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor()).isEqualTo(2);
        assertThat(said).contains("rsm is not on the PATH", "rsm install", harness.settings());
    }

    @Test
    void settingsOfOneMachineNameTheLauncherAndTheHive() throws Exception {
        var setup =
                HookSetup.ofMachine(
                        Harness.CLAUDE, Path.of("/x/rsm"), Path.of("/repo"), List.of("secret.txt"));

        assertThat(setup.file()).isEqualTo(Path.of("/repo/.claude/settings.local.json"));
        assertThat(setup.installedIn(""))
                .contains(
                        "\"/x/rsm --root /repo hook claude PreToolUse\"",
                        "Read(//repo/secret.txt)");
        assertThat(setup.removedFrom(setup.installedIn("{}"))).isEqualTo("{}");
    }

    @Test
    void ourHookIsFoundInSomebodyElsesGroup() throws Exception {
        String shared =
                """
                {"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[
                  {"type":"command","command":"/x/rsm hook claude PreToolUse"},
                  {"type":"command","command":"/x/other"}]}]}}\
                """;

        assertThat(Json.parse(setup(Harness.CLAUDE).removedFrom(shared)))
                .isEqualTo(
                        Json.parse(
                                """
                                {"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[
                                  {"type":"command","command":"/x/other"}]}]}}\
                                """));
    }

    @Test
    void foreignRulesAndHooksAreNeverTaken() throws Exception {
        String foreign =
                """
                {"hooks":{"PreToolUse":[{"hooks":[{"command":"/x/mrsm hook claude PreToolUse"},
                {"command":"rsm hook codex PreToolUse"},{"command":"rsm hook claude PreToolUse # x"}]}]},
                "permissions":{"deny":["Read(//repository/x)","Read(repo/x)","Bash(/repo/x)"]}}\
                """;

        assertThat(setup(Harness.CLAUDE).removedFrom(foreign)).isEqualTo(foreign);
    }

    @Test
    void aRuleOfSomebodyElseForAPathInTheProjectStays() throws Exception {
        String foreign = "{\"permissions\":{\"deny\":[\"Read(//repo/.env)\",\"Edit(//repo/x)\"]}}";
        HookSetup setup = setup(Harness.CLAUDE, "vault/**");
        String installed = setup.installedIn(foreign);

        assertThat(installed).contains("Read(//repo/.env)", "Edit(//repo/x)", "(/vault/**");
        assertThat(setup.installedIn(installed)).isEqualTo(installed);
        assertThat(setup(Harness.CLAUDE).installedIn(installed))
                .contains("Read(//repo/.env)", "Edit(//repo/x)")
                .doesNotContain("vault");
        assertThat(setup.removedFrom(installed)).isEqualTo(foreign);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{",
                "[]",
                "nonsense",
                "{\"a\": 1} # comment",
                "{\"a\": 1} /* comment",
                "{\"a\": 1, // comment\n}",
                "{\"hooks\": []}",
                "{\"hooks\": {\"PreToolUse\": {}}}",
                "{\"permissions\": {\"deny\": \"x\"}}",
                "{\"permissions\": 1}"
            })
    void settingsOfAnotherFormAreAnErrorAndStayAsTheyAre(String settings) {
        HookSetup setup = setup(Harness.CLAUDE, "secret.txt");

        assertThatThrownBy(() -> setup.installedIn(settings))
                .isInstanceOf(MalformedSettingsException.class);
        assertThatThrownBy(() -> setup.removedFrom(settings))
                .isInstanceOf(MalformedSettingsException.class);
    }

    @Test
    void namesWithEscapesAreFound() throws Exception {
        String odd = "{\"ho\\u006fks\": {\"PreToolUse\": []}, \"\\\"}\": 1}";
        HookSetup setup = setup(Harness.CLAUDE);

        assertThat(setup.isCurrentIn(setup.installedIn(odd))).isTrue();
        assertThat(setup.removedFrom(setup.installedIn(odd))).isEqualTo(odd);
    }

    @Test
    void outdatedRulesAreToldFromAMissingHook() throws Exception {
        String older = setup(Harness.CLAUDE, "a").installedIn("");
        HookSetup setup = setup(Harness.CLAUDE, "a", "b");

        assertThat(setup.isCurrentIn(older)).isFalse();
        assertThat(setup.hasHookIn(older)).isTrue();
        assertThat(setup.hasHookIn("{}")).isFalse();
        assertThat(HookSetup.isBare(setup.removedFrom(older))).isTrue();
        assertThat(HookSetup.isBare("{\"a\": 1}")).isFalse();
    }

    @Test
    void theLauncherIsQuotedForAShell() throws Exception {
        var setup =
                HookSetup.ofMachine(
                        Harness.CLAUDE, Path.of("/it's/$HOME/rsm"), Path.of("/repo"), List.of());

        assertThat(setup.installedIn(""))
                .contains("'/it'\\\\''s/$HOME/rsm' --root /repo hook claude PreToolUse");
        assertThat(setup.isCurrentIn(setup.installedIn(""))).isTrue();
        assertThat(setup.removedFrom(setup.installedIn(""))).isEqualTo("{}\n");
        assertThatThrownBy(
                        () -> new HookSetup(Harness.CODEX, Path.of("rsm"), Path.of("/"), List.of()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void ofAllProjectsNamesNoHiveAndNoRules() throws Exception {
        var setup = HookSetup.ofUser(Harness.CLAUDE, Path.of("/x/rsm"), Path.of("/home/sam"));

        assertThat(setup.file()).isEqualTo(Path.of("/home/sam/.claude/settings.json"));
        assertThat(setup.installedIn(""))
                .contains("\"/x/rsm hook claude PreToolUse\"")
                .doesNotContain("deny");
        assertThat(setup.removedFrom(setup.installedIn("{}"))).isEqualTo("{}");
    }
}
