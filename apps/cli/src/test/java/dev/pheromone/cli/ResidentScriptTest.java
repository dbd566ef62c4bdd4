package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// Plays the scripts a second time, with a resident process that answers what it may: the answers,
/// exit codes and events are the same.
class ResidentScriptTest {

    @ParameterizedTest
    @MethodSource("scripts")
    void goesAsWithoutAResident(String name, @TempDir Path folder) throws Exception {
        Script script = Script.parse(Files.readString(ScriptTest.scriptFolder().resolve(name)));
        try (ResidentClient client = new ResidentClient(folder.resolve("bin"))) {
            ScriptPlayer player = new ScriptPlayer(folder).withResident(client);
            assertThat(player.play(script)).isEmpty();
            if (name.equals("inbox-cycle.txt") || name.equals("hooks.txt")) {
                // Otherwise this test would say nothing.
                assertThat(player.answeredByResident()).isGreaterThan(5);
            }
        }
    }

    static List<String> scripts() throws IOException, java.net.URISyntaxException {
        return ScriptTest.scripts();
    }
}
