package dev.pheromone.cli.resident;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/// What a client and the resident say to each other: frames of one letter, a length of four bytes
/// with the highest first, and that many bytes.
///
/// | from the client | | from the resident | |
/// |---|---|---|---|
/// | `R` | a [Request] | `H` | at once: somebody is here |
/// | | | `A` | it will be answered here |
/// | `G` | begin | `N` | it won't, and nothing was done |
/// | `k` | output was written, or the error in words | `o`, `e` | for standard output, error |
/// | `i` | a piece of standard input, empty at its end | `I` | give me standard input |
/// | `j` | it can't be read: the error in words | `x` | the exit code; the end |
/// | `r` | there is some | `W` | say when there is standard input, and read none |
/// | | | `q` | all is answered, as below |
/// | `P` | who are you | `p` | process id and start, as text |
/// | `D` | end | `d` | no new request is taken any more |
///
/// `W` and `q` are for commands that stay. `q` says how many pieces of standard input were
/// answered, in four bytes, and what a process that goes on has to be told. A client that sent no
/// more than these goes on with a process of its own if the resident then ends, or does not answer
/// an `r`: nothing that it has read is lost, and nothing is done twice.
///
/// A client that hears no `H` in a moment, or neither `A` nor `N` in a while, goes away without
/// `G`, and nothing is done.
final class Frames {

    static final int FRAME_BYTES_MAX = 1 << 20;

    /// The largest piece of output in one frame.
    static final int OUTPUT_BYTES_MAX = 256 * 1024;

    private final SocketChannel channel;
    private final DataInputStream in;

    Frames(SocketChannel channel) {
        this.channel = channel;
        this.in = new DataInputStream(Channels.newInputStream(channel));
    }

    /// One frame.
    static final class Frame {

        private final char type;
        private final byte[] payload;

        Frame(char type, byte... payload) {
            this.type = type;
            this.payload = payload;
        }

        char type() {
            return type;
        }

        byte[] payload() {
            return payload;
        }

        String text() {
            return new String(payload, StandardCharsets.UTF_8);
        }
    }

    /// The next frame. Fails if the other side ended, or says something else.
    Frame read() throws IOException {
        int type = in.read();
        if (type < 0) {
            throw new EOFException("the connection was closed");
        }
        int length = in.readInt();
        if (length < 0 || length > FRAME_BYTES_MAX) {
            throw new IOException(
                    "frame: found " + length + " bytes, expected at most " + FRAME_BYTES_MAX);
        }
        return new Frame((char) type, in.readNBytes(length));
    }

    /// Writes one frame, whole.
    synchronized void write(char type, byte[] payload, int offset, int length) throws IOException {
        ByteBuffer frame = ByteBuffer.allocate(1 + Integer.BYTES + length);
        frame.put((byte) type).putInt(length).put(payload, offset, length).flip();
        while (frame.hasRemaining()) {
            channel.write(frame);
        }
    }

    void write(char type, byte... payload) throws IOException {
        write(type, payload, 0, payload.length);
    }
}
