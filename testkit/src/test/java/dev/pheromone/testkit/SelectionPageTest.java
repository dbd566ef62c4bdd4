package dev.pheromone.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The page about selection shows what the simulation prints.
final class SelectionPageTest {

    private static final String BEGIN = "<!-- what SimulationTable prints -->\n";
    private static final String END = "<!-- until here -->\n";

    @Test
    void theTablesOnThePageAreWhatTheSimulationPrints() throws IOException {
        Path page =
                Vectors.folder()
                        .resolveSibling("..")
                        .resolve("docs")
                        .resolve("selection.md")
                        .normalize();
        String text = Files.readString(page);
        int begin = text.indexOf(BEGIN);
        int end = text.indexOf(END);
        assertThat(begin).as("the line that begins the tables in %s", page).isNotNegative();
        assertThat(end).as("the line that ends the tables in %s", page).isGreaterThan(begin);

        assertThat(text.substring(begin + BEGIN.length(), end))
                .as(
                        "the tables in %s; SimulationTable prints them as they are to be, the page"
                                + " says how to run it",
                        page)
                .isEqualTo("\n" + SimulationTable.of(SimulationTable.SEED) + "\n");
    }
}
