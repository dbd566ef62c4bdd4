package dev.pheromone.redaction;

import java.util.Locale;

/// The lists of [PrivateWords] that a rule may look for instead of a pattern.
enum WordList {
    USERS,
    LOCKED,
    SECRETS;

    static WordList parse(String text) {
        return switch (text) {
            case "users" -> USERS;
            case "locked" -> LOCKED;
            case "secrets" -> SECRETS;
            default ->
                    throw new IllegalArgumentException(
                            "found \"" + text + "\", expected users, locked or secrets");
        };
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
