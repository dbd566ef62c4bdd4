package dev.pheromone.nats;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Actor;
import dev.pheromone.Address;
import dev.pheromone.Claim;
import dev.pheromone.Domain;
import dev.pheromone.Envelope;
import dev.pheromone.EnvelopeId;
import dev.pheromone.Inbox;
import dev.pheromone.Lane;
import dev.pheromone.Lease;
import dev.pheromone.NoSuchInboxException;
import dev.pheromone.Outcome;
import dev.pheromone.Priority;
import dev.pheromone.Selection;
import dev.pheromone.SendResult;
import dev.pheromone.Settlement;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/// Senders and workers that go on through whatever happens to the servers, and a record of what was
/// acknowledged and what had an effect.
final class Traffic {

    static final Domain CODE = Domain.parse("code");

    private static final int SENDERS = 2;
    private static final int WORKERS = 2;
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Lease LEASE = Lease.attended(Duration.ofSeconds(60));

    private final NatsOptions options;
    private final int count;
    private final AtomicInteger next = new AtomicInteger();
    private final Set<EnvelopeId> acknowledged = ConcurrentHashMap.newKeySet();
    private final Map<EnvelopeId, Integer> effects = new ConcurrentHashMap<>();
    private final List<Thread> threads = new ArrayList<>();
    private final Set<Throwable> failures = ConcurrentHashMap.newKeySet();
    private volatile boolean over;

    Traffic(NatsOptions options, int count) {
        this.options = options;
        this.count = count;
    }

    /// A body of work that ends by itself.
    private interface Work {
        void run(NatsTransport transport) throws Exception;
    }

    void start() {
        for (int i = 0; i < SENDERS; i++) {
            threads.add(Thread.ofPlatform().start(() -> with(this::send)));
        }
        for (int i = 0; i < WORKERS; i++) {
            threads.add(Thread.ofPlatform().start(() -> with(this::work)));
        }
    }

    private void with(Work work) {
        try (NatsTransport transport = NatsTransport.open(options, InstantSource.system())) {
            work.run(transport);
        } catch (Exception | AssertionError e) {
            failures.add(e);
        }
    }

    private void send(NatsTransport transport) throws IOException, NoSuchInboxException {
        for (int i = next.getAndIncrement(); i < count && !over; i = next.getAndIncrement()) {
            Envelope envelope =
                    Envelope.draft(
                                    Actor.parse("ada"),
                                    List.of(Address.parse("queen://code")),
                                    Lane.CODE,
                                    "number " + i)
                            .ts(Instant.now())
                            .priority(Priority.values()[i % Priority.values().length])
                            .body("x".repeat(i % 2_000))
                            .seal();
            SendResult result = transport.send(envelope).copies().getFirst().result();
            while (!over && result instanceof SendResult.Failed) {
                result = transport.send(envelope).copies().getFirst().result();
            }
            if (result instanceof SendResult.Delivered || result instanceof SendResult.Duplicate) {
                acknowledged.add(envelope.id());
            }
        }
    }

    private void work(NatsTransport transport) throws Exception {
        Inbox inbox = transport.inbox(CODE);
        while (!over) {
            try {
                if (inbox.select(Actor.parse("worker"), LEASE)
                        instanceof Selection.Taken(Claim claim)) {
                    effects.merge(claim.envelope().id(), 1, Integer::sum);
                    settle(inbox, claim);
                } else {
                    inbox.await(Duration.ofMillis(200));
                }
            } catch (IOException e) {
                // The server is away: the next try waits for it.
            }
        }
    }

    private void settle(Inbox inbox, Claim claim) {
        while (!over) {
            try {
                assertThat(inbox.settle(claim.token(), new Outcome.Done("")))
                        .isInstanceOf(Settlement.Settled.class);
                return;
            } catch (IOException e) {
                // What was done must be said, as soon as somebody listens.
            }
        }
    }

    int acknowledged() {
        return acknowledged.size();
    }

    /// Waits until everything was sent and had its effect.
    void finish() throws InterruptedException {
        awaitUntil(
                () -> acknowledged.size() == count && effects.keySet().containsAll(acknowledged));
        over = true;
        for (Thread thread : threads) {
            thread.join(PATIENCE);
        }
        assertThat(failures).isEmpty();
        assertThat(acknowledged).hasSize(count);
        assertThat(effects.keySet()).containsExactlyInAnyOrderElementsOf(acknowledged);
        assertThat(effects.values()).as("effects of each").containsOnly(1);
    }

    void awaitUntil(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        synchronized (this) {
            while (!condition.getAsBoolean() && failures.isEmpty() && System.nanoTime() - end < 0) {
                wait(10);
            }
        }
    }
}
