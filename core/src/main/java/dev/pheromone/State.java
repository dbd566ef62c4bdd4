package dev.pheromone;

import java.util.Locale;

/// Where a copy of an envelope is in its life.
public enum State {
    /// It is in its inbox, and nobody has it.
    WAITING,
    /// Somebody has claimed it.
    ACTIVE,
    /// Its work is done.
    DONE,
    /// Its time was over before anybody took it.
    EXPIRED,
    /// It failed too often, or can't be delivered.
    DEAD,
    /// It had arrived before, with the same bytes.
    DUPLICATE,
    /// Something else had arrived before under its id.
    CONFLICT;

    /// The state of that name; fails on any other text.
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
