package dev.pheromone.hive;

import dev.pheromone.Claim;
import dev.pheromone.Outcome;

/// Does what envelopes ask for. One worker serves all slots of a [Hive]: it is called by several
/// threads at once.
@FunctionalInterface
public interface Worker {

    /// Works on one envelope, and says how it ended. An exception counts as `Failed`.
    ///
    /// Its thread is interrupted when the time is up, the hive stops or the claim was lost; it
    /// should then end soon, by whatever exception. What it returns in spite of that counts only if
    /// it is `Done`. An interrupt may close the file that the thread is writing just then: mail is
    /// sent through [Undisturbed].
    ///
    /// Work whose process was killed is done again, so a worker that finds it done already returns
    /// `Done`.
    Outcome work(Claim claim) throws Exception;
}
