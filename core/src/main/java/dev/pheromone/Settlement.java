package dev.pheromone;

import dev.pheromone.guard.Lock;

import java.time.Instant;

/// What became of a claim that somebody wanted to renew or end.
public sealed interface Settlement {

    /// The lease goes on until `leaseEndsAt`.
    record Renewed(Instant leaseEndsAt) implements Settlement {}

    /// The envelope is now in `state`. Unless confirmed, a power cut may undo it, and it is done
    /// again.
    record Settled(State state, Confirmation confirmation) implements Settlement {}

    /// Somebody else holds or has finished it: the lease was over. Nothing was changed.
    record Lost(String reason) implements Settlement {}

    /// A lock forbids it now. `embargo` is where the outcome waits to be applied once the lock is
    /// gone, or empty if nothing was stored; the lease does not end before that.
    record Withheld(Lock lock, String reason, String embargo) implements Settlement {}

    /// Whether a power cut could undo it.
    enum Confirmation {
        /// It could not.
        ON_DISK,
        /// It might.
        UNKNOWN
    }
}
