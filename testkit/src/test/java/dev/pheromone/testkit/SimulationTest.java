package dev.pheromone.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.envelope.Priority;
import dev.pheromone.selection.Urgency;
import dev.pheromone.testkit.Simulation.Figures;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

/// What justifies the way in which mail is chosen: the properties that neither of the two obvious
/// ways has, and the price.
final class SimulationTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private static Simulation.Result ours(Traffic traffic) {
        return Simulation.run(traffic, Discipline.OURS);
    }

    private static Simulation.Result strict(Traffic traffic) {
        return Simulation.run(traffic, Discipline.STRICT);
    }

    @Nested
    final class UnderOverload {

        @ParameterizedTest
        @ValueSource(longs = {1, 2, 3, 4, 5})
        void theMostUrgentWaitsForSecondsOnly(long seed) {
            Figures p0 = ours(Traffic.overload(seed)).of(Priority.P0);
            assertThat(p0.taken()).isEqualTo(p0.sent());
            assertThat(p0.wait(95)).isLessThan(Duration.ofSeconds(30));
            assertThat(p0.wait(100)).isLessThan(Duration.ofSeconds(30));
        }

        @ParameterizedTest
        @ValueSource(longs = {1, 2, 3, 4, 5})
        void lessIsLostThanByStrictPriorityAndByWeight(long seed) {
            Traffic traffic = Traffic.overload(seed);
            int lost = ours(traffic).expired();
            assertThat(lost).isLessThan(strict(traffic).expired());
            assertThat(lost).isLessThan(Simulation.run(traffic, Discipline.WEIGHT).expired());
        }

        @Test
        void thePriceIsPaidByTheClassBelowTheMostUrgent() {
            Traffic traffic = Traffic.overload(SimulationTable.SEED);
            assertThat(ours(traffic).of(Priority.P1).wait(95))
                    .isGreaterThan(strict(traffic).of(Priority.P1).wait(95))
                    .isLessThan(Duration.ofMinutes(10));
        }
    }

    /// The urgent takes all of the capacity for an hour, and among it is one P3 that lives for ten
    /// minutes.
    @Nested
    final class BehindAFlood {

        private Traffic flood(Duration lifeOfTheUrgent) {
            List<Urgency> mail = new ArrayList<>();
            mail.add(Traffic.mail(0, Priority.P3, Duration.ZERO, Duration.ofMinutes(10)));
            for (int second = 0; second < 3_600; second++) {
                mail.add(
                        Traffic.mail(
                                second + 1,
                                Priority.P0,
                                Duration.ofSeconds(second),
                                lifeOfTheUrgent));
            }
            return new Traffic("Flood", "", SECOND, mail);
        }

        @Test
        void whatIsAboutToBeLostIsTakenInTime() {
            for (Duration life : List.of(Duration.ofMinutes(10), Duration.ofHours(1))) {
                assertThat(ours(flood(life)).of(Priority.P3).taken()).isEqualTo(1);
            }
        }

        @Test
        void itCostsTheUrgentOneTurn() {
            assertThat(ours(flood(Duration.ofMinutes(10))).of(Priority.P0).wait(100))
                    .isLessThanOrEqualTo(SECOND);
        }

        @Test
        void byStrictPriorityItIsLost() {
            assertThat(strict(flood(Duration.ofHours(1))).of(Priority.P3).expired()).isEqualTo(1);
        }
    }

    @Test
    void mailOfOneClassAndOneLifeIsTakenInTheOrderInWhichItCame() {
        Random random = new Random(7);
        List<Urgency> mail = new ArrayList<>();
        for (int i = 0; i < 600; i++) {
            // A pick at least every second: twice the capacity.
            Duration at = Duration.ofMillis(random.nextInt(300_000));
            mail.add(
                    Traffic.mail(i, Priority.values()[random.nextInt(4)], at, Duration.ofHours(2)));
        }
        mail.sort(Comparator.comparing(Urgency::ts));
        Traffic traffic = new Traffic("One life", "", SECOND, mail);

        assertThat(ours(traffic).inversions()).isZero();
        assertThat(Simulation.run(traffic, Discipline.WEIGHT).inversions()).isGreaterThan(100);
    }

    @Test
    void allMailIsTakenOrExpired() {
        for (Traffic traffic : Traffic.all(11)) {
            for (Discipline discipline : Discipline.values()) {
                assertThat(Simulation.run(traffic, discipline).classes())
                        .allSatisfy(figures ->
                                assertThat(figures.taken() + figures.expired())
                                        .isEqualTo(figures.sent()));
            }
        }
    }

    @Test
    void aSeedAlwaysGivesTheSame() {
        assertThat(Traffic.all(3)).isEqualTo(Traffic.all(3)).isNotEqualTo(Traffic.all(4));
        Traffic traffic = Traffic.bursts(3);
        assertThat(ours(traffic)).isEqualTo(ours(Traffic.bursts(3)));
    }
}
