package dev.pheromone.redaction;

import java.io.Serial;

/// What is wrong with a file of rules, and where.
public final class MalformedRulesException extends Exception {

    @Serial private static final long serialVersionUID = 1L;

    private final int line;

    MalformedRulesException(String file, int line, String problem) {
        super(file + ": line " + line + ": " + problem);
        this.line = line;
    }

    /// The line, counted from 1.
    public int line() {
        return line;
    }
}
