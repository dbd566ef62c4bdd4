package dev.pheromone.guard;

/// What somebody wants to do to a path; listing a folder is reading it.
public enum Access {
    /// Looks at the bytes, the names in a folder, or what the system says of a file.
    READ,
    /// Makes something new, or adds to what is there.
    WRITE,
    /// Deletes, truncates, overwrites or moves away.
    ERASE
}
