package dev.pheromone.hooks;

import dev.pheromone.envelope.ContentHash;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.Permission;
import dev.pheromone.guard.Verdict;

import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/// The locks in force, as a check of tool calls needs them. Nothing here throws: who can't find out
/// answers with a lock on everything.
public interface Locks {

    /// The folders of the hives that have a say: the nearest one's root first, then its other work
    /// trees, then those of the hives around it, then those of hives elsewhere. None in no hive.
    List<Path> roots();

    /// These locks, and those of every hive in which one of `places` lies: a hive has a say over
    /// what is in it, wherever the agent stands. Without a look at the disk, these.
    default Locks over(Collection<Path> places) {
        return this;
    }

    /// Everything that is locked now; empty if there is no lock of any kind.
    List<LockedArea> areas();

    /// The verdict on one path, as it is given: absolute, perhaps with `..` and links in it.
    Verdict check(Path path, Access access);

    /// The verdict on a content that is about to be written to a path: locks on contents hold
    /// wherever one lies. Without knowledge of contents, allowed.
    default Verdict checkContent(Path path, ContentHash content) {
        return Verdict.ALLOWED;
    }

    /// A person's leave to write this very content to a path in spite of a lock, if there is one.
    default Optional<Permission> permission(Path path, ContentHash content) {
        return Optional.empty();
    }

    /// Files and folders beside the hive that only people change: those that make agent programs
    /// ask us, and what is run then.
    default List<Path> forPeople() {
        return List.of();
    }

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
