package dev.pheromone.server;

import java.io.IOException;

/// Thrown when a client goes away, or is too slow, before its request has arrived.
final class ClientGoneException extends IOException {

    private static final long serialVersionUID = 1L;

    ClientGoneException(IOException cause) {
        super("the client is gone", cause);
    }
}
