package dev.pheromone.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TextWidthTest {

    @ParameterizedTest
    @CsvSource({
        "'', 0",
        "plain, 5",
        "grüße, 5",
        "gru\u0308ße, 5",
        "日本, 4",
        "한글, 4",
        "ｆｕｌｌ, 8",
        "👍, 2",
        "👍🏽, 2",
        "👩\u200d👩\u200d👧, 2",
        "🇩🇪🇫🇷, 4",
        "✔️, 2",
        "✔, 1",
        "…, 1"
    })
    void countsColumns(String text, int columns) {
        assertThat(TextWidth.of(text)).isEqualTo(columns);
    }

    @ParameterizedTest
    @CsvSource({
        "plain, 5, plain",
        "plain, 4, pla…",
        "日本語, 6, 日本語",
        "日本語, 5, 日本…",
        "日本語, 4, 日…",
        "one two, 5, one…",
        "cafe\u0301s, 4, caf…",
        "👩\u200d👩\u200d👧 x y, 4, 👩\u200d👩\u200d👧…",
        "ab, 1, …"
    })
    void cutsBetweenCharactersAndMarksTheCut(String text, int columns, String cut) {
        assertThat(TextWidth.cut(text, columns)).isEqualTo(cut);
        assertThat(TextWidth.of(cut)).isLessThanOrEqualTo(columns);
    }
}
