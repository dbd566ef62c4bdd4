package dev.pheromone.cli.resident;

import dev.pheromone.cli.frame.Stay;
import dev.pheromone.cli.resident.Frames.Frame;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/// The standard streams of a client's process, reached through its connection.
///
/// Output counts as written when the client has written it: whoever can't be told of a claim must
/// not be left with it.
///
/// A client says something only when it was asked: one answer to each piece of output, and one to
/// each wish for input. So nothing a client sends can pile up here.
///
/// A command that stays is asked by the client's next line whether it may go on, before that line
/// is read. Where it may not, its input ends.
final class ClientStreams implements Stay {

    /// How long a client may take to write a piece of output: somebody may read it page by page.
    private static final Duration READER_MAX = Duration.ofMinutes(10);

    /// Whoever is gone is noticed by the connection.
    private static final Duration FOR_EVER = Duration.ofDays(10_000);

    private static final Frame GONE = new Frame('!');
    private static final Frame STOP = new Frame('.');

    private final Frames frames;
    private final long pid;
    private final Answers written = new Answers();
    private final Answers input = new Answers();
    private volatile boolean gone;

    private BooleanSupplier condition = () -> true;
    private volatile @Nullable Guest guest;
    private volatile boolean stopped;
    private volatile boolean handedOver;

    /// How many pieces of input were taken by a command that waits for the next one; else -1.
    private volatile int answerable = -1;

    ClientStreams(Frames frames, long pid) {
        this.frames = frames;
        this.pid = pid;
    }

    /// What must hold for each line of a command that stays.
    void onlyWhile(BooleanSupplier holds) {
        condition = holds;
    }

    /// Ends the input of a command that stays, once it has read whole lines.
    void stop() {
        stopped = true;
        input.add(STOP);
    }

    /// Whether the command has ended so that the client goes on without this process.
    boolean isHandedOver() {
        return handedOver;
    }

    @Override
    public long pid() {
        return pid;
    }

    @Override
    public void begin(Guest begun) {
        guest = begun;
    }

    @Override
    public void look() throws IOException {
        // In this order: what begins after the number was read is not among what it answers.
        int pieces = answerable;
        Guest staying = guest;
        if (pieces >= 0 && staying != null && staying.isAtRest()) {
            byte[] memory = staying.memory().getBytes(StandardCharsets.UTF_8);
            frames.write(
                    'q',
                    ByteBuffer.allocate(Integer.BYTES + memory.length)
                            .putInt(pieces)
                            .put(memory)
                            .array());
        }
    }

    /// Sorts what the client says, until it ends.
    void listen() {
        try {
            while (true) {
                Frame frame = frames.read();
                switch (frame.type()) {
                    case 'k' -> written.take(frame);
                    case 'i', 'j', 'r' -> input.take(frame);
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

        /// Room for one answer, for the wish to stop, and for the mark of the end.
        private final BlockingQueue<Frame> queue = new ArrayBlockingQueue<>(3);

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
            add(GONE);
        }

        void add(Frame mark) {
            boolean _ = queue.offer(mark);
        }

        Frame await() throws IOException {
            return await(READER_MAX);
        }

        Frame await(Duration patience) throws IOException {
            try {
                Frame frame = queue.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
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
        private int pieces;
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
                Guest staying = guest;
                boolean isAtLineEnd = piece.length == 0 || piece[piece.length - 1] == '\n';
                if (staying != null && isAtLineEnd && !isLineToBeRead(staying)) {
                    handedOver = true;
                    return -1;
                }
                take(piece());
            }
            if (ended) {
                return -1;
            }
            int count = Math.min(length, piece.length - at);
            System.arraycopy(piece, at, into, offset, count);
            at += count;
            return count;
        }

        private Frame piece() throws IOException {
            input.expect();
            frames.write('I');
            Frame next = input.await();
            // Who stops meanwhile reads the line to its end.
            return next.type() == STOP.type() ? input.await() : next;
        }

        private void take(Frame next) throws IOException {
            piece =
                    switch (next.type()) {
                        case 'i' -> next.payload();
                        case 'j' -> throw new IOException(next.text());
                        default -> throw new IOException("frame: found '" + next.type() + "'");
                    };
            at = 0;
            pieces++;
            ended = piece.length == 0;
        }

        /// Waits for a line of a client that may be silent for hours, and says whether it may be
        /// read here.
        private boolean isLineToBeRead(Guest staying) throws IOException {
            answerable = pieces;
            look();
            if (stopped) {
                return false;
            }
            input.expect();
            frames.write('W');
            Frame ready = input.await(FOR_EVER);
            boolean mayGoOn = ready.type() == 'r' && condition.getAsBoolean() && staying.mayGoOn();
            if (mayGoOn) {
                answerable = -1;
            }
            return mayGoOn;
        }
    }
}
