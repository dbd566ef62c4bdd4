package dev.pheromone.cli;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/// How many columns, and rows, there are to write in.
final class TerminalWidth {

    /// For what is no terminal: a pipe or a file cuts nothing.
    static final int UNLIMITED = Integer.MAX_VALUE;

    private static final int USUAL = 80;
    private static final int LEAST = 20;
    private static final int USUAL_ROWS = 24;
    private static final int LEAST_ROWS = 4;
    private static final int STTY_OUTPUT_BYTES_MAX = 64;
    private static final int STTY_MILLIS_MAX = 500;

    private TerminalWidth() {}

    /// How large a terminal is.
    record Size(int rows, int columns) {}

    static int of(Surroundings surroundings) {
        String columns = surroundings.variable("COLUMNS");
        if (columns != null) {
            return parsed(columns, USUAL);
        }
        return surroundings.terminal().output() ? size(surroundings).columns() : UNLIMITED;
    }

    /// The size of the terminal as it is now.
    static Size size(Surroundings surroundings) {
        String size = sttySize();
        int gap = size == null ? -1 : size.indexOf(' ');
        String rows =
                gap < 0 ? surroundings.variable("LINES") : String.valueOf(size).substring(0, gap);
        String columns =
                gap < 0
                        ? surroundings.variable("COLUMNS")
                        : String.valueOf(size).substring(gap + 1);
        return new Size(parsed(rows, USUAL_ROWS), parsed(columns, USUAL));
    }

    private static int parsed(@Nullable String text, int usual) {
        try {
            int count = text == null ? 0 : Integer.parseInt(text.strip());
            // A terminal that does not know its size says 0.
            return count < 1 ? usual : Math.max(usual == USUAL ? LEAST : LEAST_ROWS, count);
        } catch (NumberFormatException e) {
            return usual;
        }
    }

    /// `rows columns` of the terminal, or null. Shells do not export COLUMNS, and Java can't ask
    /// the terminal itself.
    private static @Nullable String sttySize() {
        try {
            Process stty =
                    new ProcessBuilder("sh", "-c", "exec stty size </dev/tty")
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
            byte[] answer = stty.getInputStream().readNBytes(STTY_OUTPUT_BYTES_MAX);
            boolean ended = stty.waitFor(STTY_MILLIS_MAX, TimeUnit.MILLISECONDS);
            return ended && stty.exitValue() == 0
                    ? new String(answer, StandardCharsets.US_ASCII)
                    : null;
        } catch (IOException e) {
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }
}
