package dev.pheromone.mqtt;

import java.io.IOException;

/// Thrown when the broker understood and said no: asking again would change nothing.
final class RefusedException extends IOException {

    private static final long serialVersionUID = 1;

    RefusedException(String message, Throwable cause) {
        super(message, cause);
    }
}
