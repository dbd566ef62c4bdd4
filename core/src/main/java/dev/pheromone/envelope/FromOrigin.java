package dev.pheromone.envelope;

import java.util.Locale;

/// Where a sender's program took the name in `from` from: the sender's own word, and no proof.
public enum FromOrigin {
    /// Typed with the command.
    FLAG,

    /// Set in the environment, or shown by the agent's session there.
    ENVIRONMENT,

    /// Neither, so it is the user that the machine knows.
    DEFAULT;

    /// The origin of that name; fails on any other text.
    public static FromOrigin parse(String text) {
        for (FromOrigin origin : values()) {
            if (origin.toString().equals(text)) {
                return origin;
            }
        }
        throw new IllegalArgumentException(
                "from_origin: found \"" + text + "\", expected flag, environment or default");
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
