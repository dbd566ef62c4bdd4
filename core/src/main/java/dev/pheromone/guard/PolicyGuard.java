package dev.pheromone.guard;

import java.nio.file.Path;

/// Says whether a path may be touched. Asked before every access to a hive file, never remembered
/// by the asker.
public interface PolicyGuard {

    /// The verdict on `path`, now. Never throws: a guard that can't find out says `Blocked`.
    Verdict check(Path path, Access access);

    /// A guard with no locks to honour.
    static PolicyGuard open() {
        return (path, access) -> Verdict.ALLOWED;
    }
}
