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
    /// The path, and the names in it if it is a folder: nothing below them.
    LISTED
}
