package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.cli.frame.FullScreen;
import dev.pheromone.cli.frame.Output;
import dev.pheromone.cli.frame.TerminalWidth;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

class FullScreenTest {

    private static final TerminalWidth.Size SIZE = new TerminalWidth.Size(3, 40);

    @TempDir Path folder;

    private final ByteArrayOutputStream sent = new ByteArrayOutputStream();

    private FullScreen screen() {
        return new FullScreen(new Session(folder).surroundings(), new Output(sent));
    }

    private String sent() {
        String text = sent.toString(StandardCharsets.UTF_8);
        sent.reset();
        return text;
    }

    @Test
    void theTerminalIsAsBeforeAfterwards() {
        screen().close();
        assertThat(sent()).isEqualTo("\u001b[?1049h\u001b[?25l\u001b[?25h\u001b[?1049l");
    }

    @Test
    void onlyLinesThatChangedAreSent() {
        try (FullScreen screen = screen()) {
            screen.draw(List.of("a", "b", "c"), SIZE);
            sent();
            screen.draw(List.of("a", "B", "c"), SIZE);
            assertThat(sent()).isEqualTo("\u001b[2;1HB\u001b[K");
            screen.draw(List.of("a", "B", "c"), SIZE);
            assertThat(sent()).isEmpty();
            screen.draw(List.of("a"), SIZE);
            assertThat(sent()).isEqualTo("\u001b[2;1H\u001b[K\u001b[3;1H\u001b[K");
        }
    }

    @Test
    void anotherSizeIsDrawnAnew() {
        try (FullScreen screen = screen()) {
            screen.draw(List.of("a", "b"), SIZE);
            sent();
            screen.draw(List.of("a", "b"), new TerminalWidth.Size(1, 80));
            assertThat(sent()).isEqualTo("\u001b[2J\u001b[1;1Ha\u001b[K");
        }
    }
}
