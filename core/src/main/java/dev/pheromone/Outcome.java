package dev.pheromone;

/// How work on a claimed envelope ended.
public sealed interface Outcome {

    /// What the worker has to say about it; may be empty.
    String note();

    /// The work is done, for good.
    record Done(String note) implements Outcome {}

    /// It did not work: the envelope waits for another attempt, or is dead if it had its last.
    record Failed(String note) implements Outcome {}

    /// Given back untouched: not counted as an attempt.
    record Released(String note) implements Outcome {}
}
