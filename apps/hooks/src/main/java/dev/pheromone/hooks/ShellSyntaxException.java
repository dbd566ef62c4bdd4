package dev.pheromone.hooks;

/// A command line that we can't take apart: it may be wrong, or cleverer than the reader.
final class ShellSyntaxException extends Exception {
    private static final long serialVersionUID = 1L;

    ShellSyntaxException(String message) {
        super(message);
    }
}
