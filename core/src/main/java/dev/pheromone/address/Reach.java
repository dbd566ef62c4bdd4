package dev.pheromone.address;

/// How far a transport carries mail: each level includes the ones before it.
public enum Reach {
    /// It stays on this machine.
    LOCAL,
    /// Those who share the hive can get at it.
    TEAM,
    /// Anybody might.
    PUBLIC;

    /// The reach of that name; fails on any other text.
    public static Reach parse(String text) {
        return switch (text) {
            case "local" -> LOCAL;
            case "team" -> TEAM;
            case "public" -> PUBLIC;
            default ->
                    throw new IllegalArgumentException(
                            "reach: found \"" + text + "\", expected local, team or public");
        };
    }

    @Override
    public String toString() {
        return switch (this) {
            case LOCAL -> "local";
            case TEAM -> "team";
            case PUBLIC -> "public";
        };
    }
}
