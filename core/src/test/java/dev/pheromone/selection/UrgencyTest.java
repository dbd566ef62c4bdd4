package dev.pheromone.selection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Priority;
import dev.pheromone.selection.Urgency.Turn;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.time.Instant;
import java.util.Random;

/// The words in which a selection is explained, and the arithmetic behind them. The orders
/// themselves are in the vectors.
final class UrgencyTest {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration HOUR = Duration.ofHours(1);

    private static Urgency urgency(Priority priority, Instant ts, int failures) {
        return new Urgency(
                EnvelopeId.parse("01K7N3Q8ZR4D6T2W9XAVHB5Y0A"),
                priority,
                ts,
                START,
                HOUR,
                HOUR.dividedBy(4),
                failures,
                null);
    }

    private static Instant after(int minutes) {
        return START.plus(Duration.ofMinutes(minutes));
    }

    @Nested
    final class TheRationale {

        @Test
        void showsTheArithmetic() {
            assertThat(urgency(Priority.P1, START, 0).rationale(Turn.NORMAL, 4, after(12)))
                    .isEqualTo("P1, age 12m of 1h, w 2.3, effective P1, first of 4");
        }

        @Test
        void saysWhatAgeAndFailuresCost() {
            assertThat(urgency(Priority.P0, START, 1).rationale(Turn.NORMAL, 2, after(15)))
                    .isEqualTo(
                            "P0, age 15m of 1h, w 4.0, effective P2, after 1 failed, first of 2");
        }

        @Test
        void saysInTheDueTurnWhenItIsDue() {
            Urgency urgency = urgency(Priority.P3, START, 0);
            assertThat(urgency.rationale(Turn.DUE, 9, after(50)))
                    .isEqualTo(
                            "P3, age 50m of 1h, w 0.1, effective P3, due turn, due in 10m, first of"
                                    + " 9");
            assertThat(urgency(Priority.P0, START, 0).rationale(Turn.DUE, 9, after(20)))
                    .endsWith(", due turn, due 5m ago, first of 9");
        }

        @Test
        void saysWhileDrainingWhichClassCounts() {
            assertThat(urgency(Priority.P1, START, 1).rationale(Turn.DRAIN, 3, after(50)))
                    .isEqualTo(
                            "P1, age 50m of 1h, w 0.4, effective P3, after 1 failed, draining as"
                                    + " P2, first of 3");
        }

        @Test
        void warnsOfMailThatIsDatedAhead() {
            assertThat(urgency(Priority.P1, after(10), 0).rationale(Turn.NORMAL, 1, after(5)))
                    .startsWith("P1, age 5m of 1h (dated ahead: counted from when it was seen), w");
        }

        @Test
        void hasNoNegativeAgeWhenAClockWentBack() {
            assertThat(urgency(Priority.P2, START, 0).rationale(Turn.NORMAL, 1, after(-5)))
                    .isEqualTo("P2, age 0s of 1h, w 2.0, effective P2, first of 1");
        }
    }

    /// The effective class is counted in steps; this is the formula as it is written.
    @ParameterizedTest
    @EnumSource(Priority.class)
    void theEffectiveClassIsTheFormula(Priority priority) {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int i = 0; i < 2_000; i++) {
            int failures = random.nextInt(5);
            long age = random.nextLong(Duration.ofMinutes(70).toNanos());
            Urgency urgency = urgency(priority, START, failures);
            long lost = age / urgency.halfLife().toNanos();
            assertThat(urgency.effectiveClass(START.plusNanos(age)))
                    .as("seed %d, age %d ns, failures %d", seed, age, failures)
                    .isEqualTo((int) Math.min(3, priority.ordinal() + lost + failures));
        }
    }

    /// Without failures, the class that an envelope has is the class whose weight it still has.
    @Test
    void aClassIsWorthHalfOfTheOneAbove() {
        for (int minutes = 0; minutes < 60; minutes += 15) {
            Urgency urgency = urgency(Priority.P0, START, 0);
            int effective = urgency.effectiveClass(after(minutes));
            assertThat(urgency.weight(after(minutes)))
                    .isEqualTo(Priority.values()[effective].weight());
        }
    }
}
