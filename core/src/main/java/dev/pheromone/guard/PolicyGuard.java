package dev.pheromone.guard;

import java.nio.file.Path;

/// Says whether a path may be touched. Asked before every access to a hive file; what it said holds
/// for one [Pass], and is not remembered for the next.
public interface PolicyGuard {

    /// Begins a piece of work, which is withheld whole or goes through whole.
    Pass enter();

    /// The verdict on `path`, now: for whoever only asks.
    default Verdict check(Path path, Access access) {
        try (Pass pass = enter()) {
            return pass.check(path, access);
        }
    }

    /// A guard with no locks to honour.
    static PolicyGuard open() {
        return OpenPass::new;
    }
}
