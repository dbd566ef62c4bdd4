package dev.pheromone.cli.frame;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/// Passes on what a command prints in whole lines, so that commands side by side don't mix theirs,
/// and remembers the last line.
public final class OutputLines {

    /// A longer line is passed on in pieces.
    private static final int LINE_BYTES_MAX = 8 * 1024;

    private static final int LAST_LENGTH_MAX = 200;

    /// Enough for the last line's characters, however many bytes each has.
    private static final int LAST_BYTES_MAX = 4 * (LAST_LENGTH_MAX + 1);

    private final Consumer<byte[]> shown;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private String last = "";

    public OutputLines(Consumer<byte[]> shown) {
        this.shown = shown;
    }

    public void take(byte[] bytes, int length) {
        int whole = length;
        while (whole > 0 && bytes[whole - 1] != '\n') {
            whole--;
        }
        if (whole > 0) {
            line.write(bytes, 0, whole);
            pass();
        }
        line.write(bytes, whole, length - whole);
        if (line.size() >= LINE_BYTES_MAX) {
            pass();
        }
    }

    private void pass() {
        byte[] bytes = line.toByteArray();
        line.reset();
        String text = lastOf(bytes);
        if (!text.isEmpty()) {
            last = text;
        }
        shown.accept(bytes);
    }

    /// Ends an unfinished last line.
    public void end() {
        if (line.size() > 0) {
            line.write('\n');
            pass();
        }
    }

    /// The last line that says something, cut to a readable length; empty if there was none.
    public String last() {
        String unfinished = lastOf(line.toByteArray());
        return unfinished.isEmpty() ? last : unfinished;
    }

    private static String lastOf(byte[] bytes) {
        int end = bytes.length;
        while (end > 0) {
            int start = end - 1;
            while (start > 0 && bytes[start - 1] != '\n') {
                start--;
            }
            int length = Math.min(end - start, LAST_BYTES_MAX);
            String text = new String(bytes, start, length, StandardCharsets.UTF_8).strip();
            if (!text.isEmpty()) {
                return text.length() > LAST_LENGTH_MAX
                        ? text.substring(0, LAST_LENGTH_MAX) + "…"
                        : text;
            }
            end = start;
        }
        return "";
    }
}
