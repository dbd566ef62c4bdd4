package dev.pheromone.hive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Priority;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseEvent.PheromoneDrop;
import dev.pheromone.selection.HalfLife;
import dev.pheromone.text.Json;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;

class PheromonesTest {

    private static final Instant NOW = Instant.parse("2025-10-15T17:10:00Z");
    private static final HalfLife QUARTER = new HalfLife.PartOfTtl(4);

    private static PheromoneDrop drop(
            String topic, Priority priority, Duration age, String... tags) {
        return new PheromoneDrop(
                NOW.minus(age),
                Lane.CODE,
                new Actor("ada"),
                topic,
                priority,
                null,
                Ttl.parse("1h"),
                List.of(tags));
    }

    private static List<Pheromone> sense(Scent scent, RseEvent... events) {
        var pheromones = new Pheromones(NOW, QUARTER, scent);
        Arrays.stream(events).forEach(pheromones::take);
        return pheromones.sensed();
    }

    private static Pheromone only(RseEvent... events) {
        List<Pheromone> sensed = sense(Scent.ANY, events);
        assertThat(sensed).hasSize(1);
        return sensed.getFirst();
    }

    @Nested
    class ADrop {

        @ParameterizedTest
        @CsvSource({"P0, 8", "P1, 4", "P2, 2", "P3, 1"})
        void isWorthItsPriorityWhenFresh(Priority priority, double weight) {
            assertThat(only(drop("t", priority, Duration.ZERO)).strength()).isEqualTo(weight);
        }

        @ParameterizedTest
        @CsvSource({"15, 4", "30, 2", "45, 1", "59, 0.5237"})
        void losesHalfOfItWithEachQuarterOfItsLife(int minutes, double strength) {
            assertThat(only(drop("t", Priority.P0, Duration.ofMinutes(minutes))).strength())
                    .isCloseTo(strength, within(1e-4));
        }

        @Test
        void isGoneWhenItsTimeIsOver() {
            assertThat(sense(Scent.ANY, drop("t", Priority.P0, Duration.ofHours(1)))).isEmpty();
            assertThat(sense(Scent.ANY, drop("t", Priority.P0, Duration.ofHours(1).minusMillis(1))))
                    .hasSize(1);
        }

        @Test
        void withoutAReadableTimeToLiveLivesAnHour() {
            var drop =
                    new PheromoneDrop(
                            NOW.minusSeconds(60),
                            Lane.CODE,
                            "x",
                            Json.obj().put("topic", "t").put("ttl", "for ever"));
            assertThat(only(drop).expiresAt()).isEqualTo(NOW.plusSeconds(3540));
            assertThat(only(drop).expiresIn(NOW)).isEqualTo(Duration.ofMinutes(59));
        }

        @Test
        void datedAheadIsFreshButOneFarAheadIsNotBelieved() {
            assertThat(only(drop("t", Priority.P1, Duration.ofHours(-2))).strength()).isEqualTo(4);
            assertThat(sense(Scent.ANY, drop("t", Priority.P1, Duration.ofHours(-25)))).isEmpty();
        }
    }

    @Nested
    class DropsOnOneTopic {

        @Test
        void addUp() {
            Pheromone both =
                    only(
                            drop("t", Priority.P1, Duration.ZERO),
                            drop("t", Priority.P2, Duration.ofMinutes(15)));
            assertThat(both.strength()).isEqualTo(5);
            assertThat(both.drops()).isEqualTo(2);
            assertThat(both.newestAt()).isEqualTo(NOW);
            assertThat(both.expiresAt()).isEqualTo(NOW.plusSeconds(3600));
        }

        @Test
        void areNeverWorthMoreThanFourOfTheMostUrgent() {
            var shouting = new RseEvent[1_000];
            Arrays.fill(shouting, drop("t", Priority.P3, Duration.ZERO));
            assertThat(only(shouting).strength()).isEqualTo(4);
            shouting[0] = drop("t", Priority.P1, Duration.ofMinutes(1));
            assertThat(only(shouting).strength()).isEqualTo(16);
        }

        @Test
        void ofAnotherLaneAreAnotherPheromone() {
            var other = new PheromoneDrop(NOW, Lane.DOCS, "x", Json.obj().put("topic", "t"));
            assertThat(sense(Scent.ANY, drop("t", Priority.P1, Duration.ZERO), other)).hasSize(2);
        }
    }

    @Nested
    class Sensing {

        private final RseEvent[] events = {
            drop("weak", Priority.P3, Duration.ZERO, "a"),
            drop("strong", Priority.P0, Duration.ofMinutes(10), "a", "b"),
            new PheromoneDrop(NOW, Lane.DOCS, "x", Json.obj().put("topic", "docs")),
            new RseEvent.Other(NOW, "pheromone_drop", Lane.CODE, "x", Json.obj()),
            new RseEvent.PheromoneSense(NOW, Lane.CODE, "x", Json.obj().put("ref", "strong")),
        };

        private List<String> topics(Scent scent) {
            return sense(scent, events).stream().map(Pheromone::topic).toList();
        }

        @Test
        void givesTheStrongestFirst() {
            assertThat(topics(Scent.ANY)).containsExactly("strong", "docs", "weak");
        }

        @Test
        void goesByLaneTopicAndTags() {
            assertThat(topics(new Scent(Lane.CODE, null, List.of())))
                    .containsExactly("strong", "weak");
            assertThat(topics(new Scent(null, "docs", List.of()))).containsExactly("docs");
            assertThat(topics(new Scent(null, null, List.of("a"))))
                    .containsExactly("strong", "weak");
            assertThat(topics(new Scent(null, null, List.of("a", "b")))).containsExactly("strong");
            assertThat(topics(new Scent(Lane.OPS, null, List.of()))).isEmpty();
        }
    }

    @Test
    void theHalfLifeCanBeSet() {
        var pheromones = new Pheromones(NOW, new HalfLife.Fixed(Duration.ofMinutes(1)), Scent.ANY);
        pheromones.take(drop("t", Priority.P0, Duration.ofMinutes(3)));
        assertThat(pheromones.sensed().getFirst().strength()).isEqualTo(1);
    }
}
