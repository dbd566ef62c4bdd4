package dev.pheromone.hooks;

/// A tool call that we can't read.
final class MalformedToolCallException extends Exception {
    private static final long serialVersionUID = 1L;

    MalformedToolCallException(String message) {
        super(message);
    }
}
