package dev.pheromone.life;

import java.time.Instant;

/// What a reader finds who looks at a copy.
public sealed interface Look {

    /// The copy may be claimed now.
    record Ready() implements Look {}

    /// The copy pauses, or somebody has it: look again at `until`.
    record Held(Instant until) implements Look {}

    /// A lease or the copy's time is over, which is a step to be taken.
    record Due(Step step) implements Look {}

    /// The life is over.
    record Over() implements Look {}
}
