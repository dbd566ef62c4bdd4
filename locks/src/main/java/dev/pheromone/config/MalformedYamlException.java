package dev.pheromone.config;

import java.io.Serial;

/// What is wrong with a configuration file, and in which line.
public final class MalformedYamlException extends Exception {

    @Serial private static final long serialVersionUID = 1L;

    private final int line;

    public MalformedYamlException(int line, String problem) {
        super("line " + line + ": " + problem);
        this.line = line;
    }

    private MalformedYamlException(String file, MalformedYamlException problem) {
        super(file + ": " + problem.getMessage(), problem);
        this.line = problem.line;
    }

    /// The same problem, with the name of the file it is in.
    public MalformedYamlException in(String file) {
        return new MalformedYamlException(file, this);
    }

    /// The line, counted from 1.
    public int line() {
        return line;
    }
}
