package dev.pheromone.disk;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/// What the `.git` in a folder makes of that folder.
///
/// Git itself is not asked: it may be missing, and would cost more than the rest of a command.
public sealed interface GitTree {

    /// No work tree of its own: there is no `.git`, or it is that of a submodule, which is an
    /// ordinary folder of the tree around it.
    record None() implements GitTree {}

    /// The main work tree of a repository.
    record Main(Path top) implements GitTree {}

    /// A work tree that was added to a repository, beside its main one.
    record Linked(Path top, Path main) implements GitTree {

        /// The folder of the main tree that stands where `folder` does in this one.
        public Path counterpartOf(Path folder) {
            return main.resolve(top.relativize(folder)).normalize();
        }
    }

    /// A work tree that was added to a repository which has no main one.
    record OfBare(Path top, Path repository) implements GitTree {}

    /// A work tree that was added to a repository whose main one can't be found.
    record Lost(Path top, String reason) implements GitTree {}

    /// The innermost work tree that `folder` is part of.
    static GitTree around(Path folder, Disk disk) throws IOException {
        for (Path at = folder; at != null; at = at.getParent()) {
            GitTree tree = at(at, disk);
            if (!(tree instanceof None)) {
                return tree;
            }
        }
        return new None();
    }

    /// The work tree whose top is `folder`.
    static GitTree at(Path folder, Disk disk) throws IOException {
        Path git = folder.resolve(".git");
        Optional<Stat> stat = disk.stat(git);
        if (stat.isEmpty()) {
            return new None();
        }
        if (!stat.get().isFile()) {
            return new Main(folder);
        }
        return new GitPointer(folder, disk).follow();
    }
}
