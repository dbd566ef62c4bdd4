package dev.pheromone;

import java.io.IOException;

/// Thrown when the other side of a transport does not let us do what was asked, whatever mail it is
/// about: it does not know us, or we may only read there. Nothing has happened.
public final class NotLetInException extends IOException {

    private static final long serialVersionUID = 1;

    /// Not let in, as `message` says.
    public NotLetInException(String message) {
        super(message);
    }

    /// Not let in, as `cause` shows.
    public NotLetInException(String message, Throwable cause) {
        super(message, cause);
    }
}
