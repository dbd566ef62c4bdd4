package dev.pheromone.hooks;

/// Whether a tool call may go on. There is no third: what can't be told is blocked while a lock
/// exists.
public sealed interface Decision {

    record Free() implements Decision {}

    /// The reason is one line, without control characters, for whoever made the call.
    record Blocked(String reason) implements Decision {}

    Decision FREE = new Free();
}
