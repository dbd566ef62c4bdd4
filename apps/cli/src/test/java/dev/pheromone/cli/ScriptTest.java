package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/// Plays every script in `scripts/`.
class ScriptTest {

    @ParameterizedTest
    @MethodSource("scripts")
    void goesAsWritten(String name, @TempDir Path folder) throws Exception {
        Script script = Script.parse(Files.readString(scriptFolder().resolve(name)));
        assertThat(script.steps()).isNotEmpty();
        assertThat(new ScriptPlayer(folder).play(script)).isEmpty();
    }

    static List<String> scripts() throws IOException, URISyntaxException {
        try (Stream<Path> files = Files.list(scriptFolder())) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    static Path scriptFolder() throws URISyntaxException {
        return Path.of(Objects.requireNonNull(ScriptTest.class.getResource("/scripts")).toURI());
    }

    @Test
    void aScriptThatGoesOtherwiseSaysWhereAndHow(@TempDir Path folder) throws IOException {
        Script script = Script.parse("  $ rsm hepl\n  ! rsm: error: all is well\n  [2]\n");
        assertThat(new ScriptPlayer(folder).play(script).orElseThrow())
                .startsWith("line 1: $ rsm hepl\nstandard error: found line")
                .contains("expected \"rsm: error: all is well\"");
    }

    @Test
    void aWrongExitIsAProblemToo(@TempDir Path folder) throws IOException {
        Script script = Script.parse("  $ rsm hepl\n  ! ...\n  [6]\n");
        assertThat(new ScriptPlayer(folder).play(script).orElseThrow())
                .contains("exit: found 2, expected 6");
    }
}
