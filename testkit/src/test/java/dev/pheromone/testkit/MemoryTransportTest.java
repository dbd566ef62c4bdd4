package dev.pheromone.testkit;

import dev.pheromone.Transport;

import java.time.Instant;

/// The hive in memory keeps every transport's promises.
final class MemoryTransportTest implements TransportContract {

    private final FakeClock clock = new FakeClock(Instant.parse("2025-10-15T17:10:00Z"));
    private final MemoryTransport transport = new MemoryTransport(clock, TRUST, CODE, DOCS);

    @Override
    public Transport transport() {
        return transport;
    }

    @Override
    public FakeClock clock() {
        return clock;
    }

    @Override
    public Transport reopened() {
        return transport;
    }
}
