package dev.pheromone.cli;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/// Passes on what a command prints in whole lines, so that commands side by side don't mix theirs,
/// and remembers the last line.
final class OutputLines {

    /// A longer line is passed on in pieces.
    private static final int LINE_BYTES_MAX = 8 * 1024;

    private static final int LAST_LENGTH_MAX = 200;

    private final Consumer<byte[]> shown;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private String last = "";

    OutputLines(Consumer<byte[]> shown) {
        this.shown = shown;
    }

    void take(byte[] bytes, int length) {
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        for (int i = 0; i < length; i++) {
            line.write(bytes[i]);
            if (bytes[i] == '\n' || line.size() >= LINE_BYTES_MAX) {
                whole.writeBytes(endLine());
            }
        }
        if (whole.size() > 0) {
            shown.accept(whole.toByteArray());
        }
    }

    private byte[] endLine() {
        byte[] bytes = line.toByteArray();
        line.reset();
        String text = new String(bytes, StandardCharsets.UTF_8).strip();
        if (!text.isEmpty()) {
            last =
                    text.length() > LAST_LENGTH_MAX
                            ? text.substring(0, LAST_LENGTH_MAX) + "…"
                            : text;
        }
        return bytes;
    }

    /// Ends an unfinished last line.
    void end() {
        if (line.size() > 0) {
            line.write('\n');
            shown.accept(endLine());
        }
    }

    /// The last line that says something, cut to a readable length; empty if there was none.
    String last() {
        if (line.size() > 0) {
            String text = line.toString(StandardCharsets.UTF_8).strip();
            if (!text.isEmpty()) {
                return text.substring(0, Math.min(text.length(), LAST_LENGTH_MAX));
            }
        }
        return last;
    }
}
