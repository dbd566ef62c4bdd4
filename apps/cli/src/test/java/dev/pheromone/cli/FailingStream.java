package dev.pheromone.cli;

import java.io.IOException;
import java.io.OutputStream;

/// A stream whose every write fails.
final class FailingStream extends OutputStream {

    private final String reason;

    FailingStream(String reason) {
        this.reason = reason;
    }

    @Override
    public void write(int b) throws IOException {
        throw new IOException(reason);
    }
}
