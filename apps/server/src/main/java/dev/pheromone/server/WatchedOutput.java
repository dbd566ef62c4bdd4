package dev.pheromone.server;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;

/// The output of one answer, which is ended if its client does not read: else it would keep a
/// thread, a connection and what is to be written for ever.
final class WatchedOutput extends OutputStream {

    /// How much is written at once: who reads slowly, but reads, is not taken for one that stopped.
    private static final int AT_ONCE_BYTES = 16 * 1024;

    /// Something that may have to wait for the client.
    private interface Step {
        void run() throws IOException;
    }

    private final OutputStream out;
    private final Client client;
    private final Duration stallMax;

    WatchedOutput(OutputStream out, Client client, Duration stallMax) {
        this.out = out;
        this.client = client;
        this.stallMax = stallMax;
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

    private void watched(Step step) throws IOException {
        client.await(stallMax);
        try {
            step.run();
        } finally {
            client.rest();
        }
    }
}
