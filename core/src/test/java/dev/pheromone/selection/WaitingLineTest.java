package dev.pheromone.selection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Priority;
import dev.pheromone.selection.Urgency.Turn;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

final class WaitingLineTest {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final int STEPS = 20_000;

    /// Whatever comes, goes and grows old: the line picks what sorting everything would pick.
    @Test
    void picksWhatSortingEverythingWouldPick() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        WaitingLine<Integer> line = new WaitingLine<>();
        Map<Integer, Urgency> all = new HashMap<>();
        Instant now = START;
        for (int step = 0; step < STEPS; step++) {
            now = now.plusMillis(random.nextInt(20_000));
            int key = random.nextInt(200);
            if (random.nextInt(3) > 0) {
                Urgency urgency = urgency(random, now);
                all.put(key, urgency);
                line.put(key, urgency, now);
            } else {
                all.remove(key);
                line.remove(key);
            }
            for (Turn turn : Turn.values()) {
                assertThat(line.pick(now, turn).map(all::get))
                        .as("seed %d, step %d, %s", seed, step, turn)
                        .isEqualTo(firstBySorting(all, now, turn));
            }
            assertThat(line.firstExpired(now).isPresent()).isEqualTo(anyExpired(all, now));
            assertThat(line.size()).isEqualTo(all.size());
        }
    }

    @Test
    void whatIsPausedIsListedByTheEndOfItsPause() {
        WaitingLine<String> line = new WaitingLine<>();
        line.put("old, paused for long", paused(0, START.plusSeconds(600)), START);
        line.put("young, paused for a moment", paused(60, START.plusSeconds(8)), START);

        for (Turn turn : Turn.values()) {
            assertThat(line.inOrder(START, turn))
                    .as("%s", turn)
                    .containsExactly("young, paused for a moment", "old, paused for long");
        }
    }

    private static Urgency paused(int second, Instant notBefore) {
        Instant sent = START.minusSeconds(3_600).plusSeconds(second);
        Duration ttl = Duration.ofDays(1);
        return new Urgency(
                EnvelopeId.random(sent),
                Priority.P2,
                sent,
                sent,
                ttl,
                new HalfLife.PartOfTtl(4).of(ttl),
                1,
                notBefore);
    }

    private static Urgency urgency(Random random, Instant now) {
        Duration ttl = Duration.ofSeconds(1 + random.nextInt(3_600));
        @Nullable Instant notBefore =
                random.nextInt(4) == 0 ? now.plusSeconds(random.nextInt(600)) : null;
        return new Urgency(
                EnvelopeId.random(now),
                Priority.values()[random.nextInt(4)],
                now.minusSeconds(random.nextInt(900) - 60),
                now,
                ttl,
                new HalfLife.PartOfTtl(4).of(ttl),
                random.nextInt(3),
                notBefore);
    }

    private static Optional<Urgency> firstBySorting(
            Map<Integer, Urgency> all, Instant now, Turn turn) {
        Comparator<Urgency> order =
                switch (turn) {
                    case NORMAL -> Urgency.normalOrder(now);
                    case DUE -> Urgency.dueOrder();
                    case DRAIN -> Urgency.drainOrder();
                };
        return all.values().stream().filter(u -> isReady(u, now)).min(order);
    }

    /// The whole line in order: what is picked one after the other, then the paused, then the
    /// expired.
    @Test
    void theWholeLineIsInTheOrderOfItsPicks() {
        Random random = new Random(5);
        WaitingLine<Urgency> line = new WaitingLine<>();
        for (int i = 0; i < 500; i++) {
            Urgency urgency = urgency(random, START);
            line.put(urgency, urgency, START);
        }
        Instant now = START.plusSeconds(300);
        List<Urgency> order = line.inOrder(now, Urgency.Turn.NORMAL);
        int ready = (int) order.stream().filter(u -> isReady(u, now)).count();

        assertThat(order).hasSize(500);
        assertThat(order.subList(0, ready))
                .allMatch(urgency -> isReady(urgency, now))
                .isSortedAccordingTo(Urgency.normalOrder(now));
        assertThat(order.subList(ready, order.size()))
                .extracting(urgency -> urgency.isExpired(now))
                .isSorted();
    }

    private static boolean isReady(Urgency urgency, Instant now) {
        return !urgency.isExpired(now) && urgency.isReady(now);
    }

    private static boolean anyExpired(Map<Integer, Urgency> all, Instant now) {
        return all.values().stream().anyMatch(u -> u.isExpired(now));
    }

    @Test
    void everyFourthTurnIsTheDueTurn() {
        assertThat(List.of(1L, 2L, 3L, 4L, 5L, 8L))
                .extracting(pick -> Turn.of(pick, 4))
                .containsExactly(
                        Turn.NORMAL, Turn.NORMAL, Turn.NORMAL, Turn.DUE, Turn.NORMAL, Turn.DUE);
    }

    @Test
    void twoFilesOfOneIdAreBothInLine() {
        WaitingLine<String> line = new WaitingLine<>();
        Urgency urgency = urgency(new Random(1), START);
        line.put("one", urgency, START);
        line.put("two", urgency, START);
        line.remove("one");

        assertThat(line.keys()).containsExactly("two");
    }
}
