package dev.pheromone.cli.args;

import org.jspecify.annotations.Nullable;

/// A command line that can't be understood: what is wrong with it, and how to type it instead.
public final class UsageException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final @Nullable String hint;
    private final @Nullable String fix;

    public UsageException(String message) {
        this(message, null, null);
    }

    /// @param hint what to know or do, in words
    /// @param fix the command to type instead
    public UsageException(String message, @Nullable String hint, @Nullable String fix) {
        super(message);
        this.hint = hint;
        this.fix = fix;
    }

    public @Nullable String hint() {
        return hint;
    }

    public @Nullable String fix() {
        return fix;
    }
}
