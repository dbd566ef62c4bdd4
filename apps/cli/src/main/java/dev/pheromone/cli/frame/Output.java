package dev.pheromone.cli.frame;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/// A stream of text that is always UTF-8, whatever the locale says, and that reports a failed
/// write.
public final class Output {

    private static final int BUFFERED_CHARS_MAX = 8_192;

    private final OutputStream stream;
    private final StringBuilder buffer = new StringBuilder();

    public Output(OutputStream stream) {
        this.stream = stream;
    }

    void print(String text) {
        buffer.append(text);
        if (buffer.length() >= BUFFERED_CHARS_MAX) {
            flush();
        }
    }

    public void line(String text) {
        buffer.append(text);
        print("\n");
    }

    /// Writes bytes as they are.
    void bytes(byte[] raw) {
        flush();
        write(raw);
    }

    public void flush() {
        byte[] encoded = buffer.toString().getBytes(StandardCharsets.UTF_8);
        buffer.setLength(0);
        write(encoded);
    }

    private void write(byte[] raw) {
        try {
            stream.write(raw);
            stream.flush();
        } catch (IOException e) {
            throw new OutputClosedException(e);
        }
    }
}
