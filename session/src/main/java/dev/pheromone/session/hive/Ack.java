package dev.pheromone.session.hive;

import dev.pheromone.State;
import dev.pheromone.address.Address;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.guard.Lock;
import dev.pheromone.guard.WithheldException;

import org.jspecify.annotations.Nullable;

import java.time.Instant;

/// What became of a caller's word on a claim: that the work goes on, or how it ended.
public sealed interface Ack {

    /// The claim is held on, under a lease that ends then.
    record Renewed(EnvelopeId id, Instant leaseEndsAt) implements Ack {}

    /// The claim ended, and the copy is in this state.
    record Settled(EnvelopeId id, State state) implements Ack {}

    /// The claim was the caller's no more; nothing was changed.
    record Lost(EnvelopeId id, String reason) implements Ack {}

    /// A lock on the inbox kept the word from being applied.
    ///
    /// @param keptIn the file in which the word waits for the lock to be lifted; empty if it is not
    ///   kept
    record Withheld(Lock lock, String reason, Address inbox, String keptIn) implements Ack {}

    /// A lock hides the claim.
    record Hidden(WithheldException why, Fate fate) implements Ack {}

    /// What becomes of a word on a claim that a lock hides.
    sealed interface Fate {

        /// The claim is held at another transport, which hears nothing while this hive is locked.
        record NotSaid(String transport) implements Fate {}

        /// There is nothing to renew: no lease ends while the hive is locked.
        record NotNeeded() implements Fate {}

        /// The word is not kept: under a lock only a claim's whole name says whose word it is.
        record NotKept() implements Fate {}

        /// The word waits for the lock to be lifted.
        ///
        /// @param file where; empty if nobody knows
        /// @param replyFile where the reply waits; empty if a lock forbids to keep it, null if
        ///   there is none
        record Kept(String file, @Nullable String replyFile) implements Fate {}
    }
}
