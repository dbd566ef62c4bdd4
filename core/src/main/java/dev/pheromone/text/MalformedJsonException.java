package dev.pheromone.text;

/// Text from outside that is not JSON, with the place where reading stopped.
public final class MalformedJsonException extends Exception {

    private static final long serialVersionUID = 1L;

    private final int line;
    private final int column;
    private final String problem;

    MalformedJsonException(int line, int column, String problem) {
        super("line " + line + ", column " + column + ": " + problem);
        this.line = line;
        this.column = column;
        this.problem = problem;
    }

    /// The line of the problem, from 1.
    public int line() {
        return line;
    }

    /// The column of the problem, from 1.
    public int column() {
        return column;
    }

    /// The problem alone, without its place.
    public String problem() {
        return problem;
    }
}
