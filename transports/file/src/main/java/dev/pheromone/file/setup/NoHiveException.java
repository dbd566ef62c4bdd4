package dev.pheromone.file.setup;

import org.jspecify.annotations.Nullable;

import java.io.Serial;
import java.util.Optional;

/// Thrown where a hive was looked for and none can be used; knows a way out.
public final class NoHiveException extends Exception {

    @Serial private static final long serialVersionUID = 1L;

    private final String hint;
    private final @Nullable String command;
    private final boolean certain;

    NoHiveException(String message, String hint) {
        this(message, hint, null, false);
    }

    private NoHiveException(
            String message, String hint, @Nullable String command, boolean certain) {
        super(message);
        this.hint = hint;
        this.command = command;
        this.certain = certain;
    }

    /// This one, where `command` is the way out that the hint ends with.
    NoHiveException withCommand(String command) {
        return new NoHiveException(String.valueOf(getMessage()), hint, command, certain);
    }

    /// This one, where there is none rather than one that can't be used.
    NoHiveException forCertain() {
        return new NoHiveException(String.valueOf(getMessage()), hint, command, true);
    }

    /// Whether there is no hive at all, and so nobody's locks; else there is something of one, and
    /// what it forbids is unknown.
    public boolean isCertain() {
        return certain;
    }

    /// What to do about it.
    public String hint() {
        return hint;
    }

    /// The command to type after the hint, if one alone is enough.
    public Optional<String> command() {
        return Optional.ofNullable(command);
    }
}
