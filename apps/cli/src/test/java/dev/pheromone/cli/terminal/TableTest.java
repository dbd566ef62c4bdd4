package dev.pheromone.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class TableTest {

    private final Table table =
            new Table("ID", "TOPIC", "AGE")
                    .row("k3f9x2", "main is red", "2m")
                    .row("7qw2mz", "review the parser and the printer", "7h");

    @Test
    void columnsAlignAndLinesHaveNoTrailingSpace() {
        assertThat(table.lines(80, false))
                .containsExactly(
                        "ID      TOPIC                              AGE",
                        "k3f9x2  main is red                        2m",
                        "7qw2mz  review the parser and the printer  7h");
    }

    @Test
    void theWidestColumnIsCutUntilItFits() {
        assertThat(table.lines(33, false))
                .containsExactly(
                        "ID      TOPIC                 AGE",
                        "k3f9x2  main is red           2m",
                        "7qw2mz  review the parser a…  7h");
    }

    @Test
    void noColumnIsCutToNothing() {
        assertThat(table.lines(1, false)).contains("7qw2mz  review…   7h");
    }

    @Test
    void withoutALimitNothingIsCut() {
        assertThat(table.lines(Integer.MAX_VALUE, false))
                .anyMatch(line -> line.contains("printer"));
    }

    @Test
    void wideCharactersKeepTheColumnsStraight() {
        assertThat(new Table("TOPIC", "AGE").row("日本語", "2m").row("abc", "3m").lines(80, false))
                .containsExactly("TOPIC   AGE", "日本語  2m", "abc     3m");
    }

    @Test
    void foreignTextCantLeaveItsCell() {
        assertThat(new Table("A", "B").row("x\ny\u001b[2J", "z").lines(80, false))
                .containsExactly("A          B", "x\\ny\\e[2J  z");
    }

    @Test
    void colourDoesNotCountAsWidth() {
        assertThat(
                        new Table("A", "B")
                                .row(new Table.Cell("P0", Style.RED), Table.Cell.of("x"))
                                .lines(80, true))
                .containsExactly(
                        "\u001b[2mA\u001b[0m   \u001b[2mB\u001b[0m", "\u001b[31mP0\u001b[0m  x");
    }

    @Test
    void aRowOfAnotherLengthIsADefect() {
        assertThatThrownBy(() -> table.row("one")).hasMessage("table row has 1 cells, expected 3");
    }
}
