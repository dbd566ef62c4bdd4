package dev.pheromone.hooks.setup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.hooks.Harness;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/// The commands of our hooks in a real shell, with launchers that fail in every way.
class GuardCommandTest {
    private static final Path PROJECT = Path.of("/repo");

    @TempDir private Path bin;

    private record Ended(int exit, String out, String err) {}

    private Ended run(Scope scope, Harness harness, Harness.Event event) throws Exception {
        String command =
                new HookCommands(harness, scope, bin.resolve("rsm"), PROJECT).command(event);
        ProcessBuilder shell = new ProcessBuilder("/bin/sh", "-c", command);
        shell.environment().put("PATH", bin.toString());
        Process process = shell.start();
        process.getOutputStream().close();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), out, err);
    }

    private void launcher(String script, String permissions) throws IOException {
        Path file = bin.resolve("rsm");
        Files.writeString(file, "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }

    private static Harness.Event guard(Harness harness) {
        return harness.events().getFirst();
    }

    private void sayNo(Harness harness) throws Exception {
        for (Scope scope : new Scope[] {Scope.SHARED, Scope.USER}) {
            Ended ended = run(scope, harness, guard(harness));

            assertThat(ended.exit()).isEqualTo(2);
            assertThat(harness == Harness.COPILOT ? ended.out() : ended.err())
                    .contains("rsm: blocked:", "rsm install", harness.folders().getFirst());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"CLAUDE", "CODEX", "GEMINI"})
    void aMissingLauncherBlocksAndSaysWhatToDo(Harness harness) throws Exception {
        sayNo(harness);
    }

    @ParameterizedTest
    @EnumSource(names = {"CLAUDE", "CODEX", "GEMINI"})
    void aLauncherThatCanNotBeRunBlocks(Harness harness) throws Exception {
        launcher("exit 0", "rw-r--r--");
        sayNo(harness);
    }

    @ParameterizedTest
    @ValueSource(strings = {"exit 1", "exit 77", "kill -9 $$", "kill -15 $$"})
    void aLauncherThatEndsAsItShouldNotBlocks(String script) throws Exception {
        launcher(script, "rwxr-xr-x");
        for (Harness harness : new Harness[] {Harness.CLAUDE, Harness.CODEX, Harness.GEMINI}) {
            sayNo(harness);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"exit 1", "kill -9 $$"})
    void copilotGetsTheReasonAsJson(String script) throws Exception {
        launcher(script, "rwxr-xr-x");
        Ended ended = run(Scope.SHARED, Harness.COPILOT, guard(Harness.COPILOT));

        assertThat(ended.exit()).isEqualTo(2);
        assertThat(ended.out())
                .startsWith("{\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"rsm: ")
                .endsWith(".github/hooks/rsm.json\"}\n");
    }

    @ParameterizedTest
    @EnumSource(names = "OPENCODE", mode = EnumSource.Mode.EXCLUDE)
    void whatRsmSaysStandsAlone(Harness harness) throws Exception {
        launcher("echo because >&2; exit 2", "rwxr-xr-x");
        assertThat(run(Scope.SHARED, harness, guard(harness)))
                .isEqualTo(new Ended(2, "", "because\n"));
        launcher("exit 0", "rwxr-xr-x");
        assertThat(run(Scope.SHARED, harness, guard(harness))).isEqualTo(new Ended(0, "", ""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"exit 0", "exit 1", "exit 2", "kill -9 $$", ""})
    void aBellNeverSaysNo(String script) throws Exception {
        if (!script.isEmpty()) {
            launcher(script, "rwxr-xr-x");
        }
        for (Harness harness : Harness.values()) {
            for (Harness.Event event : harness.events()) {
                boolean wakes = event.purpose() == Harness.Purpose.WAKE;
                if (event.purpose() != Harness.Purpose.GUARD && !wakes) {
                    assertThat(run(Scope.SHARED, harness, event).exit()).isZero();
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = "CLAUDE")
    void whatWakesSaysSoItself(Harness harness) throws Exception {
        Harness.Event wake = harness.events().getLast();
        assertThat(wake.purpose()).isEqualTo(Harness.Purpose.WAKE);
        assertThat(run(Scope.SHARED, harness, wake).exit()).isZero();
        launcher("echo mail >&2; exit 2", "rwxr-xr-x");
        assertThat(run(Scope.SHARED, harness, wake)).isEqualTo(new Ended(2, "", "mail\n"));
    }
}
