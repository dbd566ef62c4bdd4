package dev.pheromone.hooks;

import java.nio.file.Path;

/// A path that a tool call names to change, make or erase what is there. Absolute, without `..`;
/// links in it are not followed.
///
/// @param isTree whether all that is below it is meant, too
public record WrittenPath(Path path, boolean isTree) {}
