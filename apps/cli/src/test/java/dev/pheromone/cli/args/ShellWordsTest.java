package dev.pheromone.cli.args;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.util.List;

class ShellWordsTest {

    @Test
    void quotesOnlyWhereAShellNeedsThem() {
        assertThat(ShellWords.join(List.of("send", "--to", "queen://code", "please look")))
                .isEqualTo("send --to queen://code \"please look\"");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "plain",
                "two words",
                "it's",
                "\"quoted\"",
                "$HOME",
                "`id`",
                "a\\b",
                "wow!",
                "#x",
                "*",
                "~",
                "a;b",
                "grüße",
                "line\nend",
                "'\"'"
            })
    void aShellReadsBackWhatWasQuoted(String word) throws IOException {
        Process shell =
                new ProcessBuilder("sh", "-c", "printf %s " + ShellWords.quote(word)).start();
        assertThat(new String(shell.getInputStream().readAllBytes(), UTF_8)).isEqualTo(word);
    }
}
