package dev.pheromone.file.setup;

import java.io.Serial;

/// Thrown where a hive would not do what it promises, so that none was made; knows a way out.
public final class SetupRefusedException extends Exception {

    @Serial private static final long serialVersionUID = 1L;

    private final String hint;

    SetupRefusedException(String message, String hint) {
        super(message);
        this.hint = hint;
    }

    /// What to do about it, with the command to type.
    public String hint() {
        return hint;
    }
}
