package dev.pheromone;

import dev.pheromone.guard.Lock;

/// What taking from an inbox gave.
public sealed interface Selection {

    /// The caller has it now.
    record Taken(Claim claim) implements Selection {}

    /// Nothing is ready: the inbox is empty, or all that waits is paused.
    record Nothing() implements Selection {}

    /// A lock forbids it.
    record Withheld(Lock lock, String reason) implements Selection {}
}
