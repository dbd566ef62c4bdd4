package dev.pheromone.envelope;

/// How urgent an envelope is, as its sender says: `P0` is the highest.
public enum Priority {
    /// The most urgent; each sender has a few.
    P0,
    /// Before the usual.
    P1,
    /// What mail has if nobody says otherwise.
    P2,
    /// The least urgent.
    P3;

    /// The class of that name; fails on any other text.
    public static Priority parse(String text) {
        return switch (text) {
            case "P0" -> P0;
            case "P1" -> P1;
            case "P2" -> P2;
            case "P3" -> P3;
            default ->
                    throw new IllegalArgumentException(
                            "priority: found \"" + text + "\", expected P0, P1, P2 or P3");
        };
    }

    /// The class that is `steps` lower; the lowest, where there are not so many.
    public Priority lowered(int steps) {
        Priority[] classes = values();
        return classes[Math.min(classes.length - 1, ordinal() + steps)];
    }

    /// The weight of a fresh envelope of this class: 8, 4, 2, 1.
    public int weight() {
        return 1 << (P3.ordinal() - ordinal());
    }
}
