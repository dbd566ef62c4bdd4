package dev.pheromone.hooks;

import dev.pheromone.guard.Access;
import dev.pheromone.guard.Lock;

import java.util.Set;

/// A lock and what it forbids. The lock's path is a pattern relative to a root: `*` and `?` within
/// a name, `**` across folders; what lies below a match is covered, too.
public record LockedArea(Lock lock, Set<Access> forbids) {
    public LockedArea {
        forbids = Set.copyOf(forbids);
    }

    /// What a lock of this kind usually forbids. The hive-wide lock forbids more than its kind
    /// says: it is made with the constructor.
    public static LockedArea of(Lock lock) {
        return new LockedArea(
                lock,
                switch (lock.kind()) {
                    case DNR -> Set.of(Access.READ, Access.WRITE, Access.ERASE);
                    case DO_NOT_ALTER -> Set.of(Access.WRITE, Access.ERASE);
                    case DO_NOT_ERASE -> Set.of(Access.ERASE);
                });
    }
}
