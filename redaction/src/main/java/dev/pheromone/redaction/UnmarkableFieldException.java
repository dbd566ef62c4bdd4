package dev.pheromone.redaction;

import java.io.Serial;

/// A header field holds what must not become public, and its grammar leaves no room for a mark.
public final class UnmarkableFieldException extends Exception {

    @Serial private static final long serialVersionUID = 1L;

    private final String field;

    UnmarkableFieldException(String field, String problem) {
        super(field + ": " + problem);
        this.field = field;
    }

    /// The field, as it is named in a header.
    public String field() {
        return field;
    }
}
