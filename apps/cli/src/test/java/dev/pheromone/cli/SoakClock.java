package dev.pheromone.cli;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/// A clock that several processes share and that runs faster than time: pauses of a hive pass in a
/// test's patience.
record SoakClock(Instant start, int factor) implements InstantSource {

    @Override
    public Instant instant() {
        return start.plus(Duration.between(start, Instant.now()).multipliedBy(factor));
    }

    static SoakClock parse(String text) {
        String[] parts = text.split("x", -1);
        return new SoakClock(Instant.parse(parts[0]), Integer.parseInt(parts[1]));
    }

    @Override
    public String toString() {
        return start + "x" + factor;
    }
}
