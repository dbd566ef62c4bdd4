package dev.pheromone.guard;

import java.nio.file.Path;
import java.util.List;

/// Says whether a path may be touched. Asked before every access to a hive file; what it said is
/// not remembered for the next, but a short burst of like accesses may be asked for as one.
public interface PolicyGuard {

    /// The verdict on `path`, now. Never throws: a guard that can't find out says `Blocked`.
    Verdict check(Path path, Access access);

    /// The verdict on all of `paths` together, now: `Blocked` if any of them is.
    default Verdict checkAll(List<Path> paths, Access access) {
        for (Path path : paths) {
            Verdict verdict = check(path, access);
            if (verdict instanceof Verdict.Blocked) {
                return verdict;
            }
        }
        return Verdict.ALLOWED;
    }

    /// A guard with no locks to honour.
    static PolicyGuard open() {
        return (path, access) -> Verdict.ALLOWED;
    }
}
