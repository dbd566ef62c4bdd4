package dev.pheromone.hooks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.text.Json;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Links on the disk that a command moves count where they lie afterwards.
class MovedLinksTest {
    private static Decision decide(String command) {
        TableLocks locks =
                TableLocks.of("file")
                        .withLink("docs/alias.txt", "src/secret.txt")
                        .withLink("docs/c/up.txt", "secret.txt")
                        .withLink("docs/folder", "sub")
                        .withNames("docs", "a.md", "alias.txt", "c", "folder")
                        .withNames("docs/c", "b.md", "up.txt");
        String json =
                Json.obj()
                        .put("cwd", "/repo")
                        .put("hook_event_name", "PreToolUse")
                        .put("tool_name", "Bash")
                        .put("tool_input", Json.obj().put("command", command))
                        .toString();
        return new ToolCallCheck(Harness.CLAUDE, locks, Map.of())
                .decide("PreToolUse", json.getBytes(StandardCharsets.UTF_8), Path.of("/"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "mv docs d && cat d/alias.txt",
                "mv docs d && mv d e && cat e/alias.txt",
                "mv docs d && cat d/al*",
                "mv docs/* d/ && cat d/alias.txt",
                "cd \"$(git rev-parse --show-toplevel)\" && mv docs d && cat d/alias.txt",
                "cp -a docs /tmp/d && cat /tmp/d/alias.txt",
                "mv docs src/d && cat src/d/c/up.txt",
                "mv docs/c src/d/ && cat src/d/c/up.txt",
                "mv docs/c src/d/ && cat src/d/c/u*",
                "mv docs/c/up.txt src/d/up.txt && cat src/d/up.txt && mv src/d/up.txt src/d/e &&"
                        + " cat src/d/e",
                "mv docs/c src/d/ && cd src/d/c && cat up.txt",
            })
    void oneThatLeadsToWhatIsLockedIsBlocked(String command) {
        assertThat(decide(command)).isInstanceOf(Decision.Blocked.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "mv docs d && cat d/a.md",
                "mv docs d && cat d/c/up.txt d/c/b.md",
                "mv docs d && ls d/folder",
                "cp -a docs /tmp/d && cat /tmp/d/*.md",
                "mv docs/c src/ && cat src/c/b.md",
            })
    void oneThatDoesNotIsFree(String command) {
        assertThat(decide(command)).isEqualTo(Decision.FREE);
    }

    @Test
    @Timeout(60)
    void hundredsOfMovesAreFollowedInSeconds() {
        String moves =
                IntStream.range(0, 400)
                        .mapToObj(i -> "mv docs/a" + i + " sub/b" + i + "\n")
                        .collect(Collectors.joining());

        assertThat(decide(moves + "cat sub/b7")).isEqualTo(Decision.FREE);
        assertThat(decide(moves + "mv docs d\ncat d/alias.txt"))
                .isInstanceOf(Decision.Blocked.class);
    }
}
