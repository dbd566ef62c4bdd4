package dev.pheromone;

import java.time.Duration;

/// How much later than something happens a reader of a transport may see it, at most. Real time,
/// beside what the calls themselves take, and only while the other side answers.
///
/// @param arrival from the moment at which a copy is `Delivered` until a selection finds the copy
/// @param freed from the end of a lease or a pause until a selection finds the copy
public record Lag(Duration arrival, Duration freed) {

    /// Whatever has happened is seen by the next call.
    public static final Lag NONE = new Lag(Duration.ZERO, Duration.ZERO);

    public Lag {
        if (arrival.isNegative() || freed.isNegative()) {
            throw new IllegalArgumentException(
                    "lag: found " + arrival + " and " + freed + ", expected zero or more");
        }
    }

    /// The longer of the two.
    public Duration longest() {
        return arrival.compareTo(freed) > 0 ? arrival : freed;
    }
}
