package dev.pheromone.guard;

/// The guard's answer for one path and one access. There is no third: what is uncertain is blocked.
public sealed interface Verdict {

    record Allowed() implements Verdict {}

    record Blocked(Lock lock, String reason) implements Verdict {}

    Verdict ALLOWED = new Allowed();
}
