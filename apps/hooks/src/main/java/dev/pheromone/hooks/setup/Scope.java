package dev.pheromone.hooks.setup;

/// Whose settings are edited.
public enum Scope {
    /// The project's, which are in its repository: they name `rsm` and no path of one machine.
    SHARED,
    /// The project's for one machine.
    LOCAL,
    /// The user's, for all projects.
    USER
}
