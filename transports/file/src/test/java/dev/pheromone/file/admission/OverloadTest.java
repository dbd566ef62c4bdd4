package dev.pheromone.file.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Claim;
import dev.pheromone.HiveConfig.BackpressureLimits;
import dev.pheromone.HiveConfig.SenderLimits;
import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.SendResult;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Lane;
import dev.pheromone.disk.InMemory;
import dev.pheromone.disk.SimulatedDisk;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Priority;
import dev.pheromone.file.FileTransport;
import dev.pheromone.file.StormHive;
import dev.pheromone.file.TestHive;
import dev.pheromone.file.copy.FileLimits;
import dev.pheromone.trust.TrustList;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/// Ten simulated minutes at three times what the workers can do, on real files: producers are
/// slowed down, the urgent hardly waits, and the queue drains in time.
final class OverloadTest {

    private static final Duration TICK = Duration.ofSeconds(1);
    private static final Duration OVERLOAD = Duration.ofMinutes(10);
    private static final Duration DRAINED_MAX = Duration.ofMinutes(30);
    private static final Duration P0_P95_MAX = Duration.ofSeconds(30);

    /// One envelope is finished a tick, and so many are made.
    private static final int MADE_A_TICK = 3;

    private static final int DEPTH_MAX = 400;
    private static final int PRODUCERS = 15;
    private static final long SEED = 20_251_015;

    @TempDir(factory = InMemory.class)
    Path root;

    private final Random random = new Random(SEED);
    private final List<Producer> producers = new ArrayList<>();
    private final Map<EnvelopeId, Instant> made = new HashMap<>();
    private final Map<Priority, Tally> tallies = new EnumMap<>(Priority.class);
    private TestHive hive;
    private int deepest;

    /// What happened to one class.
    private static final class Tally {
        private int made;
        private int refusals;
        private int delays;
        private final List<Duration> waits = new ArrayList<>();

        Duration percentile(int percent) {
            List<Duration> sorted = new ArrayList<>(waits);
            Collections.sort(sorted);
            return sorted.isEmpty()
                    ? Duration.ZERO
                    : sorted.get(Math.min(sorted.size() - 1, sorted.size() * percent / 100));
        }
    }

    /// Sends one thing after the other, the urgent first, and does as it is told.
    private final class Producer {
        private final Actor name;
        private final Map<Priority, Deque<Envelope>> unsent = new EnumMap<>(Priority.class);
        private final Map<Priority, Instant> notBefore = new EnumMap<>(Priority.class);
        private Instant busyUntil = Instant.MIN;

        Producer(int number) {
            name = Actor.parse("producer-" + number);
            for (Priority priority : Priority.values()) {
                unsent.put(priority, new ArrayDeque<>());
                notBefore.put(priority, Instant.MIN);
            }
        }

        void make(Priority priority) {
            Envelope envelope =
                    Envelope.draft(
                                    name,
                                    List.of(Address.parse("queen://code")),
                                    Lane.CODE,
                                    "overload")
                            .ts(hive.clock.instant())
                            .priority(priority)
                            .body("Work.\n")
                            .seal();
            made.put(envelope.id(), hive.clock.instant());
            tallies.get(priority).made++;
            unsent.get(priority).add(envelope);
        }

        void send(FileTransport transport) throws Exception {
            Instant now = hive.clock.instant();
            for (Priority priority : Priority.values()) {
                Deque<Envelope> queue = unsent.get(priority);
                while (!queue.isEmpty()
                        && !now.isBefore(busyUntil)
                        && !now.isBefore(notBefore.get(priority))) {
                    SendResult result = transport.send(queue.peek()).copies().getFirst().result();
                    for (Duration delay : hive.delays) {
                        tallies.get(priority).delays++;
                        busyUntil = now.plus(delay);
                    }
                    hive.delays.clear();
                    if (result instanceof SendResult.Refused(var retryAfter, var _)) {
                        tallies.get(priority).refusals++;
                        notBefore.put(priority, now.plus(retryAfter));
                    } else {
                        assertThat(result).isInstanceOf(SendResult.Delivered.class);
                        queue.remove();
                    }
                }
            }
        }
    }

    @Test
    void producersAreSlowedDownAndTheUrgentHardlyWaits() throws Exception {
        hive = new TestHive(root);
        for (Priority priority : Priority.values()) {
            tallies.put(priority, new Tally());
        }
        for (int i = 0; i < PRODUCERS; i++) {
            producers.add(new Producer(i));
        }
        Instant start = hive.clock.instant();
        Instant overloadEnds = start.plus(OVERLOAD);
        try (FileTransport transport =
                hive.open(
                        new SimulatedDisk(hive.clock),
                        StormHive.limited(
                                new BackpressureLimits(DEPTH_MAX, Duration.ofMinutes(10)),
                                SenderLimits.defaults()),
                        TrustList.empty(),
                        FileLimits.defaults())) {
            Inbox inbox = transport.inbox(TestHive.CODE);
            // From now on a selection costs what changed, not what waits.
            inbox.await(Duration.ofMillis(1));
            while (hive.clock.instant().isBefore(overloadEnds)) {
                for (int i = 0; i < MADE_A_TICK; i++) {
                    producers.get(random.nextInt(PRODUCERS)).make(anyClass());
                }
                for (Producer producer : producers) {
                    producer.send(transport);
                }
                work(inbox);
                hive.clock.advance(TICK);
            }
            int backlog = inbox.waiting().size();
            Duration drain = drain(transport, inbox, overloadEnds);
            report(backlog, drain);
            assertThat(drain).isLessThan(DRAINED_MAX);
        }
        assertThat(tallies.get(Priority.P2).refusals).isPositive();
        assertThat(tallies.get(Priority.P3).refusals).isPositive();
        assertThat(tallies.get(Priority.P0).refusals).isZero();
        assertThat(tallies.get(Priority.P0).percentile(95)).isLessThan(P0_P95_MAX);
        assertThat(deepest).isLessThan(DEPTH_MAX * 6 / 5);
        assertThat(hive.events("backpressure").getLast().data().text("status")).isEqualTo("left");
    }

    /// A class as they occur: few are urgent.
    private Priority anyClass() {
        int percent = random.nextInt(100);
        if (percent < 2) {
            return Priority.P0;
        }
        if (percent < 15) {
            return Priority.P1;
        }
        return percent < 60 ? Priority.P2 : Priority.P3;
    }

    private void work(Inbox inbox) throws Exception {
        if (inbox.select(TestHive.WORKER, Lease.unattended(Duration.ofMinutes(30)))
                instanceof Selection.Taken(Claim claim)) {
            Envelope envelope = claim.envelope();
            tallies.get(envelope.priority())
                    .waits
                    .add(Duration.between(made.get(envelope.id()), hive.clock.instant()));
            inbox.settle(claim.token(), new Outcome.Done(""));
            deepest = Math.max(deepest, depthIn(claim.rationale()));
        }
    }

    /// `…first of 4` says how many there were to choose from.
    private static int depthIn(String rationale) {
        return Integer.parseInt(rationale.substring(rationale.lastIndexOf(' ') + 1));
    }

    /// How long it takes until the inbox is no longer under backpressure, when no more is made.
    private Duration drain(FileTransport transport, Inbox inbox, Instant from) throws Exception {
        while (transport.throttled(TestHive.CODE).isPresent()) {
            work(inbox);
            hive.clock.advance(TICK);
            assertThat(Duration.between(from, hive.clock.instant())).isLessThan(DRAINED_MAX);
        }
        return Duration.between(from, hive.clock.instant());
    }

    private void report(int backlog, Duration drain) {
        System.out.printf(
                "overload, seed %d: 10 simulated minutes at %d times the capacity of %d/s%n",
                SEED, MADE_A_TICK, Duration.ofSeconds(1).dividedBy(TICK));
        System.out.println("class   made  refusals  delays  done  P50 wait  P95 wait");
        tallies.forEach((priority, tally) ->
                System.out.printf(
                        "%-5s %6d %9d %7d %5d %8ds %8ds%n",
                        priority,
                        tally.made,
                        tally.refusals,
                        tally.delays,
                        tally.waits.size(),
                        tally.percentile(50).toSeconds(),
                        tally.percentile(95).toSeconds()));
        System.out.printf(
                "deepest %d, %d waiting at the end, drained in %d s%n",
                deepest, backlog, drain.toSeconds());
    }
}
