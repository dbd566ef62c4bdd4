package dev.pheromone.guard;

/// What somebody wants to do to a path; listing a folder is reading it.
public enum Access {
    READ,
    WRITE,
    /// Deletes, truncates, overwrites or moves away.
    ERASE
}
