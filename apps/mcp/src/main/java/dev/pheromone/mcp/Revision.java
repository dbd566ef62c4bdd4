package dev.pheromone.mcp;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A revision of the protocol that is spoken here.
public enum Revision {
    /// Without sessions: each request says its revision and what the client can do.
    JULY_2026("2026-07-28"),

    /// Begins with `initialize`.
    NOVEMBER_2025("2025-11-25"),

    /// As the one after it, for all that is used here.
    JUNE_2025("2025-06-18");

    private final String date;

    Revision(String date) {
        this.date = date;
    }

    /// The revision of this date.
    public static Optional<Revision> of(String date) {
        for (Revision revision : values()) {
            if (revision.date.equals(date)) {
                return Optional.of(revision);
            }
        }
        return Optional.empty();
    }

    /// The revision in which `initialize` is answered: the one asked for, if it has that method.
    static Revision answering(String asked) {
        return of(asked).filter(revision -> !revision.isStateless()).orElse(NOVEMBER_2025);
    }

    /// Whether each request stands alone.
    public boolean isStateless() {
        return this == JULY_2026;
    }

    /// All of them, newest first.
    static List<String> dates() {
        List<String> dates = new ArrayList<>();
        for (Revision revision : values()) {
            dates.add(revision.date);
        }
        return dates;
    }

    /// The date.
    @Override
    public String toString() {
        return date;
    }
}
