package dev.pheromone.cli;

import java.io.IOException;

/// Nobody reads our output any more, or it can't be written.
final class OutputClosedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    OutputClosedException(IOException cause) {
        super(cause.getMessage(), cause);
    }

    /// Whether the reader simply left, as `head` does: no error, and nobody to tell.
    boolean readerLeft() {
        String reason = String.valueOf(getMessage());
        return reason.contains("Broken pipe")
                || reason.contains("pipe is being closed")
                || reason.contains("has been ended");
    }
}
