package dev.pheromone.cli.frame;

import java.io.IOException;

/// Nobody reads our output any more, or it can't be written.
public final class OutputClosedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private static final String STUCK = "nobody reads it";

    OutputClosedException(IOException cause) {
        super(cause.getMessage(), cause);
    }

    /// The reader is there, but has not read for so long that it is not waited for.
    public static OutputClosedException stuck() {
        return new OutputClosedException(new IOException(STUCK));
    }

    /// What could not be written, and why.
    public String described() {
        return "standard output: " + getMessage();
    }

    /// Whether the reader simply left, as `head` does, or reads no more: no error, and nobody to
    /// tell.
    public boolean readerLeft() {
        String reason = String.valueOf(getMessage());
        return reason.equals(STUCK)
                || reason.contains("Broken pipe")
                || reason.contains("pipe is being closed")
                || reason.contains("has been ended");
    }
}
