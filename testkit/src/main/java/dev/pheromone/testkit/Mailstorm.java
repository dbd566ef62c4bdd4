package dev.pheromone.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Claim;
import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.SendResult;
import dev.pheromone.Settlement;
import dev.pheromone.Transport;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Priority;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/// Senders and workers that go on through whatever happens to the other side of a transport, and a
/// record of what was acknowledged and what had an effect.
///
/// The hive has an inbox `code`. Each sender and worker opens a transport of its own, as another
/// process would.
public final class Mailstorm {

    public static final Domain CODE = Domain.parse("code");

    /// How far senders may be ahead: an inbox that only grows would be another test.
    private static final int AHEAD_MAX = 100;

    private static final Lease LEASE = Lease.attended(Duration.ofSeconds(60));

    /// Opens the transport once more.
    public interface Opening {
        Transport open() throws IOException;
    }

    /// A body of work that ends by itself.
    private interface Work {
        void run(Transport transport) throws Exception;
    }

    private final Opening opening;
    private final int count;
    private final int crowd;
    private final Duration patience;
    private final AtomicInteger next = new AtomicInteger();
    private final Set<EnvelopeId> acknowledged = ConcurrentHashMap.newKeySet();
    private final Map<EnvelopeId, Integer> effects = new ConcurrentHashMap<>();
    private final List<Thread> threads = new ArrayList<>();
    private final Set<Throwable> failures = ConcurrentHashMap.newKeySet();
    private volatile boolean over;

    /// @param count how many envelopes are sent
    /// @param crowd how many senders there are, and as many workers
    /// @param patience after which whatever is missing counts as lost
    public Mailstorm(Opening opening, int count, int crowd, Duration patience) {
        this.opening = opening;
        this.count = count;
        this.crowd = crowd;
        this.patience = patience;
    }

    public void start() {
        for (int i = 0; i < crowd; i++) {
            threads.add(Thread.ofPlatform().start(() -> with(this::send)));
            threads.add(Thread.ofPlatform().start(() -> with(this::work)));
        }
    }

    private void with(Work work) {
        try (Transport transport = opening.open()) {
            work.run(transport);
        } catch (Exception | AssertionError e) {
            failures.add(e);
        }
    }

    private void send(Transport transport)
            throws IOException, NoSuchInboxException, InterruptedException {
        for (int i = next.getAndIncrement(); i < count && !over; i = next.getAndIncrement()) {
            awaitUntil(() -> over || acknowledged.size() - effects.size() < AHEAD_MAX);
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

    private void work(Transport transport) throws Exception {
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

    public int acknowledged() {
        return acknowledged.size();
    }

    /// Waits until everything was sent and had its effect: one each.
    public void finish() throws InterruptedException {
        awaitUntil(
                () -> acknowledged.size() == count && effects.keySet().containsAll(acknowledged));
        over = true;
        for (Thread thread : threads) {
            thread.join(patience);
        }
        assertThat(failures).isEmpty();
        assertThat(acknowledged).hasSize(count);
        assertThat(effects.keySet()).containsExactlyInAnyOrderElementsOf(acknowledged);
        assertThat(effects.values()).as("effects of each").containsOnly(1);
    }

    public void awaitUntil(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + patience.toNanos();
        synchronized (this) {
            while (!condition.getAsBoolean() && failures.isEmpty() && System.nanoTime() - end < 0) {
                wait(10);
            }
        }
    }
}
