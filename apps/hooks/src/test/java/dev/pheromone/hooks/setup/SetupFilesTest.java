package dev.pheromone.hooks.setup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.hooks.Harness;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Path;
import java.util.List;

class SetupFilesTest {
    private static final List<String> TEXTS =
            List.of("", "one line\n", "no end of line", "a\n\n\nb\n\n", "# rsm\n");

    private static List<SetupFile> files(Scope scope, Harness harness, String... unreadable) {
        return new SetupFiles(
                        scope,
                        Path.of("/opt/rsm"),
                        Path.of("/repo"),
                        Path.of("/home/sam"),
                        List.of(unreadable))
                .of(harness);
    }

    @ParameterizedTest
    @EnumSource
    void whatIsInstalledIsCurrentAndGoesAgain(Harness harness) throws Exception {
        for (Scope scope : new Scope[] {Scope.SHARED, Scope.USER}) {
            for (SetupFile file : files(scope, harness, "secret/**")) {
                String installed = file.installedIn("");

                assertThat(file.isCurrentIn(installed)).isTrue();
                assertThat(file.isPresentIn(installed)).isTrue();
                assertThat(file.installedIn(installed)).isEqualTo(installed);
                assertThat(file.isNothing(file.removedFrom(installed))).isTrue();
                assertThat(file.isCurrentIn("")).isFalse();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void filesThatTeamsShareNameNoPathOfOneMachine(Harness harness) throws Exception {
        for (SetupFile file : files(Scope.SHARED, harness, "secret/**")) {
            assertThat(file.file()).startsWithRaw(Path.of("/repo"));
            assertThat(file.installedIn("")).doesNotContain("/repo", "/opt", "/home");
        }
    }

    @ParameterizedTest
    @EnumSource
    void ofAllProjectsIsInTheHomeFolderAndHasNoTextsForAgents(Harness harness) {
        assertThat(files(Scope.USER, harness))
                .noneMatch(file -> file.role() == SetupFile.Role.LEARNING)
                .first()
                .satisfies(file -> assertThat(file.file()).startsWithRaw(Path.of("/home/sam")));
    }

    @Test
    void theTextOfOthersStaysAroundOurBlock() throws Exception {
        for (SetupFile file : files(Scope.SHARED, Harness.GEMINI, "secret/**")) {
            if (!(file instanceof MarkedBlock)) {
                continue;
            }
            for (String before : TEXTS) {
                String installed = file.installedIn(before);

                assertThat(installed).startsWith(before);
                assertThat(file.installedIn(installed)).isEqualTo(installed);
                String gone = file.removedFrom(installed);
                assertThat(before.endsWith("\n") || before.isEmpty() ? gone : gone.strip())
                        .isEqualTo(before);
                assertThat(file.removedFrom(installed + "below\n")).endsWith("below\n");
            }
        }
    }

    @Test
    void whatGeminiIsToIgnoreFollowsTheLocks() throws Exception {
        SetupFile before = files(Scope.SHARED, Harness.GEMINI, "secret/**").get(1);
        SetupFile after = files(Scope.USER, Harness.GEMINI, "{a,b}.txt", "./keys").get(1);
        SetupFile none = files(Scope.SHARED, Harness.GEMINI).get(1);
        String installed = before.installedIn("node_modules\n");

        assertThat(before.file()).isEqualTo(Path.of("/repo/.geminiignore"));
        assertThat(installed).isEqualTo("node_modules\n\n# rsm: begin\n/secret/**\n# rsm: end\n");
        assertThat(after.isCurrentIn(installed)).isFalse();
        assertThat(after.installedIn(installed)).contains("\n/a.txt\n/b.txt\n/keys\n");
        assertThat(none.isCurrentIn(installed)).isFalse();
        assertThat(none.installedIn(installed)).isEqualTo("node_modules\n");
        assertThat(none.isCurrentIn("")).isTrue();
        assertThatThrownBy(() -> before.removedFrom("# rsm: begin\n/a\n"))
                .isInstanceOf(MalformedSettingsException.class)
                .hasMessageContaining("# rsm: end");
    }

    @Test
    void aFileOfSomebodyElseUnderOurNameStays() throws Exception {
        for (Harness harness : new Harness[] {Harness.COPILOT, Harness.OPENCODE}) {
            SetupFile file = files(Scope.SHARED, harness).getFirst();

            assertThatThrownBy(() -> file.installedIn("{\"version\": 1}"))
                    .isInstanceOf(MalformedSettingsException.class)
                    .hasMessageContaining("not ours");
            assertThat(file.removedFrom("{\"version\": 1}")).isEqualTo("{\"version\": 1}");
        }
    }

    @Test
    void copilotGetsAFileOfItsOwnForm() throws Exception {
        assertThat(files(Scope.SHARED, Harness.COPILOT).getFirst().installedIn(""))
                .startsWith(
                        """
                        {
                          "version": 1,
                          "hooks": {
                            "preToolUse": [
                              {
                                "type": "command",
                                "bash": "rsm hook copilot preToolUse || {\
                        """)
                .contains("\"timeoutSec\": 60", "rsm hook copilot sessionStart || exit 0");
    }

    @Test
    void noTextForAgentsHasACommandThatRunsByItself() throws Exception {
        for (Harness harness : Harness.values()) {
            for (SetupFile file : files(Scope.SHARED, harness)) {
                if (file.role() == SetupFile.Role.LEARNING) {
                    assertThat(file.installedIn("")).doesNotContainPattern("!\\s*[`{]");
                }
            }
        }
    }
}
