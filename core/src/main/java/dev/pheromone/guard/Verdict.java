package dev.pheromone.guard;

/// The guard's answer for one path and one access. There is no third: what is uncertain is blocked.
public sealed interface Verdict {

    /// Nothing stands against it.
    record Allowed() implements Verdict {}

    /// `lock` stands against it, for a `reason` that people can read.
    record Blocked(Lock lock, String reason) implements Verdict {}

    /// The one answer that says yes.
    Verdict ALLOWED = new Allowed();
}
