package dev.pheromone.cli.resident;

import dev.pheromone.cli.resident.Frames.Frame;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// The standard streams of a client's process, reached through its connection.
///
/// Output counts as written when the client has written it: whoever can't be told of a claim must
/// not be left with it.
final class ClientStreams {

    /// How long a client may take to write a piece of output: somebody may read it page by page.
    private static final Duration READER_MAX = Duration.ofMinutes(10);

    private static final Frame GONE = new Frame('!');

    private final Frames frames;
    private final BlockingQueue<Frame> written = new LinkedBlockingQueue<>();
    private final BlockingQueue<Frame> input = new LinkedBlockingQueue<>();
    private volatile boolean gone;

    ClientStreams(Frames frames) {
        this.frames = frames;
    }

    /// Sorts what the client says, until it ends.
    void listen() {
        try {
            while (true) {
                Frame frame = frames.read();
                switch (frame.type()) {
                    case 'k' -> written.add(frame);
                    case 'i', 'j' -> input.add(frame);
                    default -> throw new IOException("frame: found '" + frame.type() + "'");
                }
            }
        } catch (IOException e) {
            gone = true;
            written.add(GONE);
            input.add(GONE);
        }
    }

    OutputStream output(char type) {
        return new Output(type);
    }

    InputStream input() {
        return new Input();
    }

    private Frame await(BlockingQueue<Frame> answers) throws IOException {
        try {
            Frame frame = answers.poll(READER_MAX.toMillis(), TimeUnit.MILLISECONDS);
            if (frame == null || frame.type() == GONE.type()) {
                answers.add(GONE);
                throw new IOException("Broken pipe: the client has gone");
            }
            return frame;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /// One of the two streams of output.
    private final class Output extends OutputStream {

        private final char type;

        Output(char type) {
            this.type = type;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            // One piece at a time, whichever the stream: its answer says nothing of whose it is.
            synchronized (written) {
                for (int at = 0; at < length; at += Frames.OUTPUT_BYTES_MAX) {
                    if (gone) {
                        throw new IOException("Broken pipe: the client has gone");
                    }
                    frames.write(
                            type,
                            bytes,
                            offset + at,
                            Math.min(Frames.OUTPUT_BYTES_MAX, length - at));
                    String problem = await(written).text();
                    if (!problem.isEmpty()) {
                        throw new IOException(problem);
                    }
                }
            }
        }
    }

    /// Standard input, which the client reads only when it is asked to.
    private final class Input extends InputStream {

        private byte[] piece = new byte[0];
        private int at;
        private boolean ended;

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte @Nullable [] into, int offset, int length) throws IOException {
            if (into == null || length == 0) {
                return 0;
            }
            if (at == piece.length && !ended) {
                frames.write('I');
                Frame next = await(input);
                if (next.type() == 'j') {
                    throw new IOException(next.text());
                }
                piece = next.payload();
                at = 0;
                ended = piece.length == 0;
            }
            if (ended) {
                return -1;
            }
            int count = Math.min(length, piece.length - at);
            System.arraycopy(piece, at, into, offset, count);
            at += count;
            return count;
        }
    }
}
