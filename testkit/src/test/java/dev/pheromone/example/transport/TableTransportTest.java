package dev.pheromone.example.transport;

import dev.pheromone.HiveConfig;
import dev.pheromone.Transport;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.example.transport.TableTransport.CopyName;
import dev.pheromone.example.transport.TableTransport.Tables;
import dev.pheromone.testkit.BadMailContract;
import dev.pheromone.testkit.FakeClock;
import dev.pheromone.testkit.ProcessContract;
import dev.pheromone.testkit.RepeatedOutcomeContract;
import dev.pheromone.testkit.TransportContract;

import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

final class TableTransportTest implements TransportContract, RepeatedOutcomeContract {

    private final FakeClock clock = new FakeClock(Instant.parse("2025-10-15T17:10:00Z"));
    private final Tables tables =
            new Tables(
                    new ConcurrentHashMap<>(), new ConcurrentHashMap<>(Map.of(CODE, 0L, DOCS, 0L)));
    private final Transport transport = reopened();

    @Override
    public Transport transport() {
        return transport;
    }

    @Override
    public Transport reopened() {
        return new TableTransport(tables, TRUST, HiveConfig.defaults(), CHECK, clock);
    }

    @Override
    public FakeClock clock() {
        return clock;
    }

    @Override
    public String kept(EnvelopeId id) {
        return Objects.requireNonNull(tables.copies().get(new CopyName(CODE, id)))
                .life()
                .toString();
    }

    @Override
    public Map<Class<?>, String> leftOut() {
        return Map.of(
                BadMailContract.class, "a row has an envelope, and nobody writes bytes",
                ProcessContract.class, "these tables are in the memory of one process");
    }
}
