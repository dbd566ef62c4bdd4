package dev.pheromone.nats;

import io.nats.client.JetStreamApiException;

import java.io.IOException;

/// Thrown when the server answered, and said no: trying again would give the same answer.
final class RefusedException extends IOException {

    private static final long serialVersionUID = 1;

    /// Somebody else wrote under this subject first.
    static final int WRONG_LAST_SEQUENCE = 10071;

    static final int MESSAGE_NOT_FOUND = 10037;
    static final int STREAM_NOT_FOUND = 10059;

    /// Nothing is kept for this account, nor will be.
    static final int NO_JETSTREAM = 10039;

    private final int code;

    RefusedException(JetStreamApiException cause) {
        super("nats server: " + cause.getErrorDescription(), cause);
        code = cause.getApiErrorCode();
    }

    /// Refused before it was asked, as `cause` shows.
    RefusedException(String message, IllegalArgumentException cause) {
        super(message + ": " + cause.getMessage(), cause);
        code = 0;
    }

    boolean is(int expected) {
        return code == expected;
    }
}
