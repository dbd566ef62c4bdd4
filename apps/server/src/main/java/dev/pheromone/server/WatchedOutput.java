package dev.pheromone.server;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;

/// The output of one answer, which is ended if its client does not read: else it would keep a
/// thread, a connection and what is to be written for ever.
final class WatchedOutput extends OutputStream {

    /// How much is written at once: who reads slowly, but reads, is not taken for one that stopped.
    private static final int AT_ONCE_BYTES = 16 * 1024;

    /// Something that may have to wait for the client.
    interface Step {
        void run() throws IOException;
    }

    private final OutputStream out;

    /// Since when the thread has been writing, by the clock that only goes forward.
    private long writingSince;

    private @Nullable Thread writer;

    WatchedOutput(OutputStream out) {
        this.out = out;
    }

    @Override
    public void write(int b) throws IOException {
        watched(() -> out.write(b));
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        int end = offset + length;
        for (int at = offset; at < end; at += AT_ONCE_BYTES) {
            int from = at;
            watched(() -> out.write(bytes, from, Math.min(AT_ONCE_BYTES, end - from)));
        }
    }

    @Override
    public void flush() throws IOException {
        watched(out::flush);
    }

    @Override
    public void close() throws IOException {
        watched(out::close);
    }

    /// Does `step` as a part of the answer.
    void watched(Step step) throws IOException {
        synchronized (this) {
            writer = Thread.currentThread();
            writingSince = System.nanoTime();
        }
        try {
            step.run();
        } finally {
            synchronized (this) {
                writer = null;
            }
        }
    }

    /// Ends the answer if its client has not read for longer than `stallMax`. An interrupt closes
    /// the connection, in the midst of a write too.
    synchronized void endIfStalled(Duration stallMax) {
        Thread stalled = writer;
        if (stalled != null && System.nanoTime() - writingSince > stallMax.toNanos()) {
            stalled.interrupt();
        }
    }
}
