package dev.pheromone.hive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Priority;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseEvent.PheromoneDrop;
import dev.pheromone.rse.RseLog.Durability;
import dev.pheromone.selection.HalfLife;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Acting on a pheromone without mail.
final class ForagerTest {

    private static final Instant NOW = Instant.parse("2025-10-15T17:10:00Z");
    private static final Actor ADA = Actor.parse("ada");

    private final ListedLog log = new ListedLog();
    private final Forager forager = new Forager(log, new HalfLife.PartOfTtl(4), ADA);

    private void drop(String topic, Priority priority, Instant at) {
        drop(topic, priority, at, null);
    }

    private void drop(String topic, Priority priority, Instant at, @Nullable String ref) {
        log.append(
                new PheromoneDrop(
                        at, Lane.BUGS, ADA, topic, priority, ref, Ttl.parse("1h"), List.of()),
                Durability.DISK);
    }

    private String taken(Instant now) throws IOException {
        return forager.take(Scent.ANY::isOf, now)
                .map(find -> find.pheromone().topic())
                .orElse("nothing");
    }

    @Test
    void takesTheStrongestAndThenTheNext() throws IOException {
        drop("weak", Priority.P3, NOW);
        drop("strong", Priority.P1, NOW);
        drop("strong", Priority.P2, NOW);

        assertThat(taken(NOW)).isEqualTo("strong");
        assertThat(taken(NOW)).isEqualTo("weak");
        assertThat(taken(NOW)).isEqualTo("nothing");
    }

    @Test
    void sensingAndSelectingAreInTheLogWithTheArithmetic() throws IOException {
        drop("red", Priority.P1, NOW.minus(Duration.ofMinutes(15)));
        drop("red", Priority.P3, NOW.minus(Duration.ofMinutes(5)));
        drop("other", Priority.P3, NOW);

        assertThat(forager.take(Scent.ANY::isOf, NOW)).isPresent();

        List<RseEvent> added = log.events.subList(3, log.events.size());
        assertThat(added)
                .extracting(RseEvent::type)
                .containsExactly("pheromone_sense", "queen_select");
        assertThat(added).allSatisfy(event -> assertThat(event.lane()).isEqualTo(Lane.BUGS));
        assertThat(added).allSatisfy(event -> assertThat(event.about()).contains("red"));
        Json.Obj data = added.getLast().data();
        assertThat(data.text("basis")).isEqualTo("pheromone");
        assertThat(data.text("rationale"))
                .isEqualTo(
                        "2 drops, newest 5m ago, gone in 55m, strength 2.8 of at most 16, first of"
                                + " 2");
        assertThat(data.text("newest_at")).isEqualTo("2025-10-15T17:05:00Z");
    }

    @Test
    void aNewDropMakesItFreeAgain() throws IOException {
        drop("red", Priority.P1, NOW);
        assertThat(taken(NOW.plusSeconds(1))).isEqualTo("red");
        assertThat(taken(NOW.plusSeconds(2))).isEqualTo("nothing");
        drop("red", Priority.P1, NOW.plusSeconds(3));
        assertThat(taken(NOW.plusSeconds(4))).isEqualTo("red");
    }

    @Test
    void oneDatedAheadIsTakenOnceToo() throws IOException {
        drop("red", Priority.P1, NOW.plus(Duration.ofHours(2)));
        assertThat(taken(NOW)).isEqualTo("red");
        assertThat(taken(NOW.plusSeconds(1))).isEqualTo("nothing");
    }

    @Test
    void timesFinerThanTheLogCanTellDoNotMakeItEndless() throws IOException {
        drop("red", Priority.P1, NOW.plusNanos(1_234_567));
        assertThat(taken(NOW.plusSeconds(1))).isEqualTo("red");
        assertThat(taken(NOW.plusSeconds(1))).isEqualTo("nothing");
    }

    @Test
    void aSelectionOfAnotherWriterCountsFromItsTime() throws IOException {
        drop("red", Priority.P1, NOW);
        log.append(
                new RseEvent.QueenSelect(NOW.plusSeconds(1), Lane.BUGS, ADA, "red", "by hand"),
                Durability.DISK);
        assertThat(taken(NOW.plusSeconds(2))).isEqualTo("nothing");
    }

    @Test
    void theSameTopicInAnotherLaneIsAnotherPheromone() throws IOException {
        drop("red", Priority.P1, NOW);
        log.append(
                new RseEvent.QueenSelect(NOW.plusSeconds(1), Lane.DOCS, ADA, "red", "docs"),
                Durability.DISK);
        assertThat(taken(NOW.plusSeconds(2))).isEqualTo("red");
    }

    @Test
    void whatAnnouncesMailIsLeftToTheInbox() throws IOException {
        drop("mail", Priority.P0, NOW, "01JBRM7XCN6E9M6KQGM6K3J3E5");
        log.append(
                RseEvent.of(
                        NOW,
                        "rsm_envelope_emit",
                        Lane.BUGS,
                        "ada",
                        Json.obj().put("id", "01JBRM7XCN6E9M6KQGM6K3J3E5")),
                Durability.DISK);
        drop("about a commit", Priority.P3, NOW, "c0ffee");

        assertThat(taken(NOW)).isEqualTo("about a commit");
        assertThat(taken(NOW)).isEqualTo("nothing");
    }

    @Test
    void whatIsGoneIsNotTaken() throws IOException {
        drop("red", Priority.P0, NOW);
        assertThat(taken(NOW.plus(Duration.ofHours(1)))).isEqualTo("nothing");
        assertThat(log.events).hasSize(1);
    }

    @Test
    void lookingTakesNothing() throws IOException {
        drop("red", Priority.P0, NOW);
        Optional<Forager.Find> first = forager.look(Scent.ANY::isOf, NOW);
        assertThat(first).isPresent().isEqualTo(forager.look(Scent.ANY::isOf, NOW));
        assertThat(forager.sensed(Scent.ANY::isOf, NOW)).hasSize(1);
        assertThat(log.events).hasSize(1);
    }

    @Test
    void onlyWhatIsWantedIsTaken() throws IOException {
        drop("red", Priority.P0, NOW);
        drop("docs are old", Priority.P3, NOW);
        Scent docs = new Scent(null, "docs are old", List.of());
        assertThat(forager.take(docs::isOf, NOW).map(find -> find.pheromone().topic()))
                .contains("docs are old");
        assertThat(taken(NOW)).isEqualTo("red");
    }
}
