package dev.pheromone.hive;

import dev.pheromone.Claim;
import dev.pheromone.Outcome;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.hive.HiveOptions.Mode;
import dev.pheromone.testkit.FakeClock;
import dev.pheromone.testkit.MemoryTransport;

import org.junit.jupiter.api.BeforeEach;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/// An inbox in memory under a clock that stands still, and what happened to a hive over it.
class HiveFixture {

    static final Domain CODE = Domain.parse("code");
    static final Actor BUILDER = Actor.parse("builder");

    /// Quick looks, so that a test waits for what it waits for and not for a tick.
    static final HiveLimits QUICK =
            new HiveLimits(
                    Duration.ofMillis(5),
                    Duration.ofMillis(200),
                    Duration.ofMillis(5),
                    Duration.ofMillis(1),
                    Duration.ofMillis(10),
                    Duration.ofMinutes(1),
                    Duration.ofMinutes(5),
                    Duration.ofSeconds(20));

    final FakeClock clock = new FakeClock(Instant.parse("2025-10-15T17:10:00Z"));
    final MemoryTransport transport = new MemoryTransport(clock, CODE);
    final ConcurrentLinkedQueue<Report> reports = new ConcurrentLinkedQueue<>();
    TroubledInbox inbox;

    @BeforeEach
    void open() throws NoSuchInboxException {
        inbox = new TroubledInbox(transport.inbox(CODE));
    }

    void send(String topic) throws NoSuchInboxException {
        transport.send(
                Envelope.draft(
                                Actor.parse("ada"),
                                List.of(Address.parse("queen://code")),
                                Lane.CODE,
                                topic)
                        .ts(clock.instant())
                        .seal());
    }

    static HiveOptions options(Mode mode) {
        return HiveOptions.defaults().withMode(mode);
    }

    Hive hive(HiveOptions options, Worker worker) {
        return new Hive(inbox, BUILDER, worker, options, QUICK, clock, reports::add);
    }

    static CompletableFuture<Progress> start(Hive hive) {
        return CompletableFuture.supplyAsync(hive::run);
    }

    static Progress end(CompletableFuture<Progress> run) throws Exception {
        return run.get(30, TimeUnit.SECONDS);
    }

    List<Report.Settled> settled() {
        return reports.stream()
                .filter(Report.Settled.class::isInstance)
                .map(Report.Settled.class::cast)
                .toList();
    }

    static Outcome done(Claim claim) {
        return new Outcome.Done("");
    }

    /// Work that ends only when it is interrupted.
    static Outcome hang() throws InterruptedException {
        new CountDownLatch(1).await();
        return new Outcome.Done("never");
    }
}
