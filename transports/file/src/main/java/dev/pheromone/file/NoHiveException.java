package dev.pheromone.file;

import java.io.Serial;

/// Thrown where a hive was looked for and none can be used; knows a way out.
public final class NoHiveException extends Exception {

    @Serial private static final long serialVersionUID = 1L;

    private final String hint;
    private final boolean certain;

    NoHiveException(String message, String hint) {
        this(message, hint, false);
    }

    private NoHiveException(String message, String hint, boolean certain) {
        super(message);
        this.hint = hint;
        this.certain = certain;
    }

    /// There is none, rather than one that can't be used.
    static NoHiveException none(String message, String hint) {
        return new NoHiveException(message, hint, true);
    }

    /// Whether there is no hive at all, and so nobody's locks; else there is something of one, and
    /// what it forbids is unknown.
    public boolean isCertain() {
        return certain;
    }

    /// What to do about it, with the command to type.
    public String hint() {
        return hint;
    }
}
