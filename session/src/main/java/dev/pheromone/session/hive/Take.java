package dev.pheromone.session.hive;

import dev.pheromone.Claim;
import dev.pheromone.address.Address;
import dev.pheromone.guard.Lock;

import org.jspecify.annotations.Nullable;

/// What a selection came to.
public sealed interface Take {

    /// The caller holds the claim.
    ///
    /// @param name the shortest name by which the caller can mean this claim
    record Taken(Claim claim, String name) implements Take {}

    /// A lock keeps anything from being taken from the inbox.
    record Withheld(Lock lock, String reason, Address inbox) implements Take {}

    /// Nothing is ready.
    ///
    /// @param paused how many copies wait out a pause after a failure
    /// @param active how many are being worked on; null where a transport does not tell
    record Nothing(Address inbox, int paused, @Nullable Integer active) implements Take, Look {}

    /// What a selection would come to.
    sealed interface Look permits Next, Nothing {}

    /// The copy that would be taken, and why this one.
    record Next(OpenedCopy opened, String rationale) implements Look {}
}
