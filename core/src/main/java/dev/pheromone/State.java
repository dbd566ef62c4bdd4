package dev.pheromone;

import java.util.Locale;

/// Where a copy of an envelope is in its life.
public enum State {
    WAITING,
    ACTIVE,
    DONE,
    EXPIRED,
    DEAD,
    DUPLICATE,
    CONFLICT;

    public static State parse(String text) {
        for (State state : values()) {
            if (state.toString().equals(text)) {
                return state;
            }
        }
        throw new IllegalArgumentException(
                "state: found \""
                        + text
                        + "\", expected waiting, active, done, expired, dead, duplicate or"
                        + " conflict");
    }

    /// Whether the life is over and its file in the archive.
    public boolean isFinal() {
        return this != WAITING && this != ACTIVE;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
