package dev.pheromone.session.passkey;

/// An assertion or a registration proves nothing; the message says why.
public final class RefusedException extends Exception {

    private static final long serialVersionUID = 1L;

    public RefusedException(String message) {
        super(message);
    }
}
