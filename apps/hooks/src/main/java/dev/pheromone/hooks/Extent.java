package dev.pheromone.hooks;

/// How much of the file system a touched path stands for.
enum Extent {
    /// The path alone.
    PATH,
    /// The path and everything below it.
    TREE,
    /// The path and everything below it whose names don't begin with a dot.
    VISIBLE_TREE,
    /// The path, and the names of everything below it: not what is in the files.
    NAMES,
    /// As [#NAMES], without names that begin with a dot.
    VISIBLE_NAMES,
    /// The path, and the names in it if it is a folder: nothing below them.
    LISTED;

    /// This, for a program that looks for names alone.
    Extent ofNames() {
        return switch (this) {
            case TREE, NAMES -> NAMES;
            case VISIBLE_TREE, VISIBLE_NAMES -> VISIBLE_NAMES;
            case PATH, LISTED -> this;
        };
    }

    /// Whether it is about names, and not about what is in files.
    boolean isOfNames() {
        return this == NAMES || this == VISIBLE_NAMES || this == LISTED;
    }
}
