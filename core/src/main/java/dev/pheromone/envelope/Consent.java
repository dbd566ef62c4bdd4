package dev.pheromone.envelope;

import dev.pheromone.address.Reach;

/// How far an envelope may travel: each level includes the ones before it.
public enum Consent {
    /// It stays on the machine.
    PRIVATE,
    /// It stays with those who share the hive.
    TEAM,
    /// Anybody may read it, once secrets are taken out.
    PUBLIC;

    /// The level of that name; fails on any other text.
    public static Consent parse(String text) {
        return switch (text) {
            case "private" -> PRIVATE;
            case "team" -> TEAM;
            case "public" -> PUBLIC;
            default ->
                    throw new IllegalArgumentException(
                            "consent: found \"" + text + "\", expected private, team or public");
        };
    }

    /// Whether mail with this consent may go where a transport of that reach carries it.
    public boolean allows(Reach reach) {
        return switch (this) {
            case PRIVATE -> reach == Reach.LOCAL;
            case TEAM -> reach != Reach.PUBLIC;
            case PUBLIC -> true;
        };
    }

    @Override
    public String toString() {
        return switch (this) {
            case PRIVATE -> "private";
            case TEAM -> "team";
            case PUBLIC -> "public";
        };
    }
}
