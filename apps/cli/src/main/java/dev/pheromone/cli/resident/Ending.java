package dev.pheromone.cli.resident;

/// Why a resident process ends by itself.
public enum Ending {
    TOLD("stopped by rsm down", false),
    HIVE_GONE("the hive is no longer where it was", false),
    /// Somebody removed its socket or its lock, so that clients no longer find it, or a second one
    /// may have begun.
    PLACE_LOST("its socket or its lock was removed", true),
    PROGRAM_CHANGED("the program was changed", true),
    EXHAUSTED("it ran out of memory", true);

    private final String text;
    private final boolean again;

    Ending(String text, boolean again) {
        this.text = text;
        this.again = again;
    }

    /// The reason, in words.
    public String text() {
        return text;
    }

    /// Whether whatever keeps the process running is to start it again.
    public boolean again() {
        return again;
    }
}
