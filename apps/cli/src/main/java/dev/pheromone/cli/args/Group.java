package dev.pheromone.cli.args;

import java.util.Locale;

/// For whom a command is, and under which heading `rsm help all` lists it.
public enum Group {
    AGENTS("Mail and signals, for agents and people"),
    HUMANS("Seeing what goes on"),
    GOVERNANCE("Trust and safety"),
    OPERATORS("Running a hive");

    private final String heading;

    Group(String heading) {
        this.heading = heading;
    }

    /// The name of this group in answers.
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public String heading() {
        return heading;
    }
}
