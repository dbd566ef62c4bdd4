package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.cli.frame.OutputLines;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// What a command prints, cut into whole lines.
class OutputLinesTest {

    private final List<String> shown = new ArrayList<>();
    private final OutputLines lines =
            new OutputLines(bytes -> shown.add(new String(bytes, StandardCharsets.UTF_8)));

    private void take(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        lines.take(bytes, bytes.length);
    }

    @Test
    void onlyWholeLinesArePassedOn() {
        take("one\ntw");
        take("o\nthree");
        assertThat(shown).containsExactly("one\n", "two\n");
        assertThat(lines.last()).isEqualTo("three");

        lines.end();
        assertThat(shown).containsExactly("one\n", "two\n", "three\n");
        assertThat(lines.last()).isEqualTo("three");
    }

    @Test
    void linesThatComeTogetherArePassedOnTogether() {
        take("a\n".repeat(10_000));
        assertThat(shown).hasSize(1);
        assertThat(lines.last()).isEqualTo("a");
    }

    @Test
    void theLastLineIsTheLastThatSaysSomething() {
        take("what matters\n\n   \n");
        assertThat(lines.last()).isEqualTo("what matters");
        take("ü".repeat(300) + "\n");
        assertThat(lines.last()).isEqualTo("ü".repeat(200) + "…");
    }

    @Test
    void aLineWithoutAnEndIsPassedOnInPieces() {
        for (int i = 0; i < 10; i++) {
            take("x".repeat(1_000));
        }
        assertThat(shown).containsExactly("x".repeat(9_000));
    }
}
