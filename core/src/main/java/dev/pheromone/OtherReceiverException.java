package dev.pheromone;

import java.io.IOException;

/// Thrown when somebody else receives for an inbox already, and was not to be taken over.
public final class OtherReceiverException extends IOException {

    private static final long serialVersionUID = 1;

    /// Somebody else is there, as `message` says.
    public OtherReceiverException(String message) {
        super(message);
    }
}
