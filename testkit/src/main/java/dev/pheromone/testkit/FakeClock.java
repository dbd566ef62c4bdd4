package dev.pheromone.testkit;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/// A clock that stands still until a test moves it. Safe for use by several threads.
public final class FakeClock implements InstantSource {

    private volatile Instant now;

    public FakeClock(Instant start) {
        now = start;
    }

    @Override
    public Instant instant() {
        return now;
    }

    public synchronized void advance(Duration by) {
        now = now.plus(by);
    }
}
