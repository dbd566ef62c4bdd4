package dev.pheromone.hooks.setup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.hooks.Harness;
import dev.pheromone.text.Json;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

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

    private static final Path HOME = Path.of("/home/sam");

    private static SetupFile setup(Harness harness, String... unreadable) {
        return setup(Scope.SHARED, harness, "/opt/a b/rsm", unreadable);
    }

    private static SetupFile setup(
            Scope scope, Harness harness, String launcher, String... unreadable) {
        return new SetupFiles(scope, Path.of(launcher), Path.of("/repo"), HOME, List.of(unreadable))
                .of(harness)
                .getFirst();
    }

    @ParameterizedTest
    @EnumSource(names = {"CLAUDE", "CODEX", "GEMINI"})
    void installingTwiceIsInstallingOnce(Harness harness) throws MalformedSettingsException {
        SetupFile setup = setup(harness, "secret.txt", "vault/**");
        for (String before : SETTINGS) {
            String once = setup.installedIn(before);

            assertThat(once).isNotEqualTo(before);
            assertThat(setup.isCurrentIn(once)).isTrue();
            assertThat(setup.isCurrentIn(before)).isFalse();
            assertThat(setup.installedIn(once)).isEqualTo(once);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"CLAUDE", "CODEX", "GEMINI"})
    void removingLeavesTheTextAsItWas(Harness harness) throws MalformedSettingsException {
        SetupFile setup = setup(harness, "secret.txt", "vault/**");
        for (String before : SETTINGS) {
            assertThat(setup.removedFrom(setup.installedIn(before))).isEqualTo(before);
            assertThat(setup.removedFrom(before)).isEqualTo(before);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"CLAUDE", "CODEX", "GEMINI"})
    void commentsStayAsTheyAre(Harness harness) throws MalformedSettingsException {
        SetupFile setup = setup(harness, "secret.txt", "vault/**");
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
    @EnumSource(names = {"CLAUDE", "CODEX", "GEMINI"})
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
    void claudeGetsAGuardThatBlocksWhenItFails() throws Exception {
        assertThat(setup(Harness.CLAUDE).installedIn(""))
                .startsWith(
                        """
                        {
                          "hooks": {
                            "PreToolUse": [
                              {
                                "hooks": [
                                  {
                                    "type": "command",
                                    "command": "rsm hook claude PreToolUse || { [ $? = 2 ] || echo 'rsm: blocked: rsm is not on the PATH or does not work, and it is to be asked before each step: install Pheromone and type rsm install, or have a person take the hook out of .claude/settings.json' >&2; exit 2; }",
                                    "timeout": 60,
                                    "onFailure": "block"
                                  }
                                ]
                              }
                            ],
                            "PostToolBatch": [
                        """);
    }

    @Test
    void claudeGetsBellsThatNeverBlockAndOneThatWakes() throws Exception {
        assertThat(setup(Harness.CLAUDE).installedIn(""))
                .contains(
                        """
                                    "command": "command -v rsm >/dev/null || exit 0; rsm hook claude SessionStart || exit 0",
                                    "timeout": 10
                                  }
                        """,
                        """
                                    "command": "command -v rsm >/dev/null || exit 0; rsm hook claude FileChanged",
                                    "timeout": 10,
                                    "asyncRewake": true
                                  }
                        """)
                .containsOnlyOnce("onFailure");
    }

    @Test
    void claudeGetsRulesForUnreadablePathsAndSkillsThatRunNothing() throws Exception {
        assertThat(setup(Harness.CLAUDE, "secret.txt", "{a,b}/**").installedIn(""))
                .endsWith(
                        """
                          "permissions": {
                            "deny": [
                              "Read(/secret.txt)",
                              "Edit(/secret.txt)",
                              "Read(/a/**)",
                              "Edit(/a/**)",
                              "Read(/b/**)",
                              "Edit(/b/**)"
                            ]
                          },
                          "disableSkillShellExecution" : true
                        }
                        """);
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "false"})
    void whatAPersonSaysAboutSkillsStays(String said) throws Exception {
        String before = "{\"disableSkillShellExecution\": " + said + "}";
        SetupFile setup = setup(Harness.CLAUDE);
        String installed = setup.installedIn(before);

        assertThat(installed).containsOnlyOnce("disableSkillShellExecution");
        assertThat(setup.isCurrentIn(installed)).isTrue();
        assertThat(setup.removedFrom(installed)).isEqualTo(before);
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
    void codexAndGeminiGetOnlyHooks() throws Exception {
        assertThat(setup(Harness.CODEX, "secret.txt").installedIn(""))
                .contains("\"rsm hook codex PreToolUse || {", "\"timeout\": 60\n")
                .doesNotContain("onFailure", "deny", "disableSkill");
        assertThat(setup(Harness.GEMINI, "secret.txt").installedIn(""))
                .contains("\"rsm hook gemini BeforeTool || {", "\"timeout\": 60000\n")
                .doesNotContain("onFailure", "deny", "disableSkill");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/old/rsm --root /repo hook claude PreToolUse",
                "command -v rsm >/dev/null || { echo 'rsm is not on the PATH, and more' >&2; exit"
                        + " 2; }; rsm hook claude PreToolUse"
            })
    void whatOlderVersionsWroteIsReplaced(String command) throws Exception {
        String old =
                """
                {"a": 1, "hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "%s", "timeout": 15, "onFailure": "block"}]}]}, \
                "permissions": {"deny": ["Read(//repo/gone.txt)", "Edit(//repo/gone.txt)"]}}\
                """
                        .formatted(command);
        SetupFile setup = setup(Harness.CLAUDE, "secret.txt");

        assertThat(setup.isCurrentIn(old)).isFalse();
        assertThat(setup.installedIn(old))
                .isEqualTo(setup.installedIn("{\"a\": 1}"))
                .doesNotContain("/old/rsm", "gone.txt", "and more");
        assertThat(setup.removedFrom(old)).isEqualTo("{\"a\": 1}");
    }

    @ParameterizedTest
    @EnumSource(names = {"CLAUDE", "CODEX", "GEMINI"})
    void settingsThatTeamsShareNameNoPathOfOneMachine(Harness harness) throws Exception {
        assertThat(setup(harness, "secret.txt").installedIn("")).doesNotContain("/repo", "/opt");
    }

    @Test
    void settingsOfOneMachineNameTheLauncherAndTheHive() throws Exception {
        SetupFile setup = setup(Scope.LOCAL, Harness.CLAUDE, "/x/rsm", "secret.txt");

        assertThat(setup.file()).isEqualTo(Path.of("/repo/.claude/settings.local.json"));
        assertThat(setup.installedIn(""))
                .contains(
                        "\"/x/rsm --root /repo hook claude PreToolUse || {",
                        "take the hook out of .claude/settings.local.json",
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
        SetupFile setup = setup(Harness.CLAUDE, "vault/**");
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
        SetupFile setup = setup(Harness.CLAUDE, "secret.txt");

        assertThatThrownBy(() -> setup.installedIn(settings))
                .isInstanceOf(MalformedSettingsException.class);
        assertThatThrownBy(() -> setup.removedFrom(settings))
                .isInstanceOf(MalformedSettingsException.class);
    }

    @Test
    void namesWithEscapesAreFound() throws Exception {
        String odd = "{\"ho\\u006fks\": {\"PreToolUse\": []}, \"\\\"}\": 1}";
        SetupFile setup = setup(Harness.CLAUDE);

        assertThat(setup.isCurrentIn(setup.installedIn(odd))).isTrue();
        assertThat(setup.removedFrom(setup.installedIn(odd))).isEqualTo(odd);
    }

    @Test
    void outdatedRulesAreToldFromAMissingHook() throws Exception {
        String older = setup(Harness.CLAUDE, "a").installedIn("");
        SetupFile setup = setup(Harness.CLAUDE, "a", "b");

        assertThat(setup.isCurrentIn(older)).isFalse();
        assertThat(setup.isPresentIn(older)).isTrue();
        assertThat(setup.isPresentIn("{}")).isFalse();
        assertThat(setup.isNothing(setup.removedFrom(older))).isTrue();
        assertThat(setup.isNothing("{\"a\": 1}")).isFalse();
    }

    @Test
    void theLauncherIsQuotedForAShell() throws Exception {
        SetupFile setup = setup(Scope.LOCAL, Harness.CLAUDE, "/it's/$HOME/rsm");

        assertThat(setup.installedIn(""))
                .contains("'/it'\\\\''s/$HOME/rsm' --root /repo hook claude PreToolUse");
        assertThat(setup.isCurrentIn(setup.installedIn(""))).isTrue();
        assertThat(setup.removedFrom(setup.installedIn(""))).isEqualTo("{}\n");
        assertThatThrownBy(() -> setup(Scope.SHARED, Harness.CODEX, "rsm"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void ofAllProjectsNamesNoHiveButTheRulesOfThisOne() throws Exception {
        SetupFile setup = setup(Scope.USER, Harness.CLAUDE, "/x/rsm", "secret.txt");
        String others = "{\"permissions\":{\"deny\":[\"Read(//other/a)\",\"Edit(//other/a)\"]}}";

        assertThat(setup.file()).isEqualTo(HOME.resolve(".claude/settings.json"));
        assertThat(setup.installedIn(""))
                .contains(
                        "\"/x/rsm hook claude PreToolUse || {",
                        "Read(//repo/secret.txt)",
                        "Edit(//repo/secret.txt)")
                .doesNotContain("--root");
        assertThat(setup.removedFrom(setup.installedIn("{}"))).isEqualTo("{}");
        assertThat(setup.removedFrom(setup.installedIn(others))).isEqualTo(others);
    }
}
