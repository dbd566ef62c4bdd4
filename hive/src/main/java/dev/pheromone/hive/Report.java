package dev.pheromone.hive;

import dev.pheromone.Claim;
import dev.pheromone.Outcome;
import dev.pheromone.Settlement;
import dev.pheromone.address.Domain;
import dev.pheromone.guard.Lock;

import java.time.Duration;

/// Something that a [Hive] tells while it runs.
public sealed interface Report {

    /// Work on an envelope begins.
    record Taken(Claim claim) implements Report {}

    /// Work ended, and its outcome is where it belongs: in the inbox's files, or, under a lock, in
    /// the embargo.
    ///
    /// @param took from the claim to the end of the work
    record Settled(Claim claim, Outcome outcome, Settlement settlement, Duration took)
            implements Report {}

    /// The claim is somebody else's: its work was interrupted or came too late, and counts for
    /// nothing.
    record Lost(Claim claim, String reason) implements Report {}

    /// Work ended, and its outcome could not be written. When its lease is over it is done again.
    record Unsettled(Claim claim, Outcome outcome, Exception cause) implements Report {}

    /// Interrupted work goes on nonetheless; its slot no longer waits for it.
    record Abandoned(Claim claim) implements Report {}

    /// A lock keeps the hive from working; it waits.
    record Withheld(Domain inbox, Lock lock, String reason) implements Report {}

    /// The lock is gone.
    record Free(Domain inbox) implements Report {}

    /// The transport failed; it is tried again. Told once, until it succeeds or fails otherwise.
    ///
    /// @param what what was to be done
    record Trouble(String what, Exception cause) implements Report {}

    /// Whoever was to empty the inbox ends without having done so: for too long nothing could be
    /// taken from it.
    ///
    /// @param cause why not, the last time
    record GaveUp(Domain inbox, Exception cause) implements Report {}
}
