package dev.pheromone.file;

import java.io.Serial;

/// What is wrong with a configuration file, and in which line.
public final class MalformedYamlException extends Exception {

    @Serial private static final long serialVersionUID = 1L;

    private final int line;

    MalformedYamlException(int line, String problem) {
        super("line " + line + ": " + problem);
        this.line = line;
    }

    /// The line, counted from 1.
    public int line() {
        return line;
    }
}
