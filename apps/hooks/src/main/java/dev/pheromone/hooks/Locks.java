package dev.pheromone.hooks;

import dev.pheromone.guard.Access;
import dev.pheromone.guard.Verdict;

import java.nio.file.Path;
import java.util.List;

/// The locks in force, as a check of tool calls needs them. Nothing here throws: who can't find out
/// answers with a lock on everything.
public interface Locks {

    /// The folders in which lock patterns count: the hive's root first, then its other work trees.
    List<Path> roots();

    /// Everything that is locked now; empty if there is no lock of any kind.
    List<LockedArea> areas();

    /// The verdict on one path, as it is given: absolute, perhaps with `..` and links in it.
    Verdict check(Path path, Access access);

    /// Where a path really leads, with links resolved as far as it exists. Without a look at the
    /// disk, the path itself.
    default Path real(Path path) {
        return path;
    }

    /// The names in a folder, so that wildcards can be followed through links; none if the folder
    /// can't or may not be listed.
    default List<String> names(Path folder) {
        return List.of();
    }
}
