package dev.pheromone.cli.resident;

import dev.pheromone.cli.resident.Frames.Frame;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/// The standard streams of a client's process, reached through its connection.
///
/// Output counts as written when the client has written it: whoever can't be told of a claim must
/// not be left with it.
///
/// A client says something only when it was asked: one answer to each piece of output, and one to
/// each wish for input. So nothing a client sends can pile up here.
final class ClientStreams {

    /// How long a client may take to write a piece of output: somebody may read it page by page.
    private static final Duration READER_MAX = Duration.ofMinutes(10);

    private static final Frame GONE = new Frame('!');

    private final Frames frames;
    private final Answers written = new Answers();
    private final Answers input = new Answers();
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
                    case 'k' -> written.take(frame);
                    case 'i', 'j' -> input.take(frame);
                    default -> throw new IOException("frame: found '" + frame.type() + "'");
                }
            }
        } catch (IOException e) {
            // The client has gone, or does not keep to what was agreed.
        } finally {
            // Whatever ended it: a command that waits for the client must hear of that.
            gone = true;
            written.end();
            input.end();
        }
    }

    OutputStream output(char type) {
        return new Output(type);
    }

    InputStream input() {
        return new Input();
    }

    /// The answers to one kind of question, of which one at a time is open.
    private final class Answers {

        /// Room for one answer, and for the mark of the end.
        private final BlockingQueue<Frame> queue = new ArrayBlockingQueue<>(2);

        private final AtomicBoolean asked = new AtomicBoolean();

        /// Before the question is put.
        void expect() throws IOException {
            if (gone) {
                throw new IOException("Broken pipe: the client has gone");
            }
            asked.set(true);
        }

        void take(Frame frame) throws IOException {
            if (!asked.compareAndSet(true, false) || !queue.offer(frame)) {
                throw new IOException("frame: found '" + frame.type() + "', and nobody asked");
            }
        }

        void end() {
            boolean _ = queue.offer(GONE);
        }

        Frame await() throws IOException {
            try {
                Frame frame = queue.poll(READER_MAX.toMillis(), TimeUnit.MILLISECONDS);
                if (frame == null || frame.type() == GONE.type()) {
                    gone = true;
                    throw new IOException("Broken pipe: the client has gone");
                }
                return frame;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
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
                    written.expect();
                    frames.write(
                            type,
                            bytes,
                            offset + at,
                            Math.min(Frames.OUTPUT_BYTES_MAX, length - at));
                    String problem = written.await().text();
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
                input.expect();
                frames.write('I');
                Frame next = input.await();
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
