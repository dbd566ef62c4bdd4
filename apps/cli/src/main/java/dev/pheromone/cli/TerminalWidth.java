package dev.pheromone.cli;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/// How many columns there are to write in.
final class TerminalWidth {

    /// For what is no terminal: a pipe or a file cuts nothing.
    static final int UNLIMITED = Integer.MAX_VALUE;

    private static final int USUAL = 80;
    private static final int LEAST = 20;
    private static final int STTY_OUTPUT_BYTES_MAX = 64;
    private static final int STTY_MILLIS_MAX = 500;

    private TerminalWidth() {}

    static int of(Surroundings surroundings) {
        String columns = surroundings.variable("COLUMNS");
        if (columns != null) {
            return parsed(columns);
        }
        if (!surroundings.terminal().output()) {
            return UNLIMITED;
        }
        String size = sttySize();
        return size == null ? USUAL : parsed(size.substring(size.indexOf(' ') + 1));
    }

    private static int parsed(String text) {
        try {
            int columns = Integer.parseInt(text.strip());
            // A terminal that does not know its size says 0.
            return columns < 1 ? USUAL : Math.max(LEAST, columns);
        } catch (NumberFormatException e) {
            return USUAL;
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
