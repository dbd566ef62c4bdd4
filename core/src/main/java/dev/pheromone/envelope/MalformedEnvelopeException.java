package dev.pheromone.envelope;

import org.jspecify.annotations.Nullable;

import java.io.Serial;

/// What is wrong with a text that was to be an envelope, and where: an everyday case, because
/// people write them by hand.
public final class MalformedEnvelopeException extends Exception {

    @Serial private static final long serialVersionUID = 1L;

    /// Foreign text may be long; an error line should not be.
    private static final int MESSAGE_LENGTH_MAX = 300;

    private final int line;
    private final int column;
    private final @Nullable String field;
    private final String problem;
    private final boolean incomplete;

    private MalformedEnvelopeException(
            int line, int column, @Nullable String field, String problem, boolean incomplete) {
        this.line = line;
        this.column = column;
        this.field = field;
        this.problem =
                problem.length() > MESSAGE_LENGTH_MAX
                        ? problem.substring(0, MESSAGE_LENGTH_MAX) + "…"
                        : problem;
        this.incomplete = incomplete;
    }

    static MalformedEnvelopeException at(
            int line, int column, @Nullable String field, String problem) {
        return new MalformedEnvelopeException(line, column, field, problem, false);
    }

    /// The text ends too early, as a file does that is still being written.
    static MalformedEnvelopeException incomplete(int line, String problem) {
        return new MalformedEnvelopeException(line, 1, null, problem, true);
    }

    /// The line, counted from 1.
    public int line() {
        return line;
    }

    /// The character in that line, counted from 1.
    public int column() {
        return column;
    }

    /// The header field that has the problem, or null if it is not in one.
    public @Nullable String field() {
        return field;
    }

    /// What was found and what was expected, without the place.
    public String problem() {
        return problem;
    }

    /// Whether more bytes could make it whole: the header has no end yet.
    public boolean isIncomplete() {
        return incomplete;
    }

    @Override
    public String getMessage() {
        return "line " + line + ": " + (field == null ? "" : field + ": ") + problem;
    }
}
