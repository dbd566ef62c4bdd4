package dev.pheromone.hooks;

import dev.pheromone.guard.Access;
import dev.pheromone.guard.Lock;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/// A lock and what it forbids. The lock's path is a pattern relative to a root: `*` and `?` within
/// a name, `**` across folders; what lies below a match is covered, too.
///
/// @param roots the folders in which the pattern counts: the root of the hive that has the lock,
///   and its other work trees
public record LockedArea(Lock lock, Set<Access> forbids, List<Path> roots) {
    public LockedArea {
        forbids = Set.copyOf(forbids);
        roots = List.copyOf(roots);
    }

    /// What a lock of this kind usually forbids. The hive-wide lock forbids more than its kind
    /// says: it is made with the constructor.
    public static LockedArea of(Lock lock, List<Path> roots) {
        return new LockedArea(
                lock,
                switch (lock.kind()) {
                    case DNR -> Set.of(Access.READ, Access.WRITE, Access.ERASE);
                    case DO_NOT_ALTER -> Set.of(Access.WRITE, Access.ERASE);
                    case DO_NOT_ERASE -> Set.of(Access.ERASE);
                },
                roots);
    }
}
