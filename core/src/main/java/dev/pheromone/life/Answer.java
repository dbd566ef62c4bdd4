package dev.pheromone.life;

import dev.pheromone.State;

/// What becomes of a claim that somebody wants to renew or end.
public sealed interface Answer {

    /// The step is to be taken.
    record Taken(Step step) implements Answer {}

    /// The holder has said just this before, and only did not hear the answer: nothing changes.
    record ToldBefore(State state) implements Answer {}

    /// The claim has ended otherwise: nothing changes.
    record Lost(String reason) implements Answer {}
}
