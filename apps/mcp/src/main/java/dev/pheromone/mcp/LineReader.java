package dev.pheromone.mcp;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/// Lines of bytes, as they come. A line that is too long is passed over to its end.
final class LineReader {

    private static final int BUFFER_BYTES = 8_192;

    private final InputStream in;
    private final int bytesMax;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int start;
    private int end;

    LineReader(InputStream in, int bytesMax) {
        this.in = in;
        this.bytesMax = bytesMax;
    }

    /// A line without its end.
    static final class Line {
        private final byte @Nullable [] bytes;

        private Line(byte @Nullable [] bytes) {
            this.bytes = bytes;
        }

        /// The bytes; null if they are too many.
        byte @Nullable [] bytes() {
            return bytes == null ? null : bytes.clone();
        }
    }

    /// The next line; null at the end. What stands behind the last line's end is no line: whoever
    /// wrote it was cut off.
    @Nullable Line next() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        boolean isTooLong = false;
        while (true) {
            if (start == end) {
                int read = in.read(buffer);
                if (read < 0) {
                    return null;
                }
                start = 0;
                end = read;
            }
            int stop = start;
            while (stop < end && buffer[stop] != '\n') {
                stop++;
            }
            isTooLong |= line.size() + stop - start > bytesMax;
            if (!isTooLong) {
                line.write(buffer, start, stop - start);
            }
            boolean isWhole = stop < end;
            start = isWhole ? stop + 1 : end;
            if (isWhole) {
                return new Line(isTooLong ? null : withoutReturn(line.toByteArray()));
            }
        }
    }

    private static byte[] withoutReturn(byte[] line) {
        int length = line.length;
        return length > 0 && line[length - 1] == '\r' ? Arrays.copyOf(line, length - 1) : line;
    }
}
