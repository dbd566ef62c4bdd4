package dev.pheromone.file;

import java.io.Serial;

/// Thrown where a hive was looked for and none can be used; knows a way out.
public final class NoHiveException extends Exception {

    @Serial private static final long serialVersionUID = 1L;

    private final String hint;

    NoHiveException(String message, String hint) {
        super(message);
        this.hint = hint;
    }

    /// What to do about it, with the command to type.
    public String hint() {
        return hint;
    }
}
