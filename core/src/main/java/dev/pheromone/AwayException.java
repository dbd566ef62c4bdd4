package dev.pheromone;

import java.io.IOException;

/// Thrown when nobody answers at the other side of a transport: what was asked may have happened or
/// not, and asking again later is safe.
public final class AwayException extends IOException {

    private static final long serialVersionUID = 1;

    /// Away, as `cause` shows.
    public AwayException(String message, Throwable cause) {
        super(message, cause);
    }

    /// Away, as `message` says.
    public AwayException(String message) {
        super(message);
    }
}
