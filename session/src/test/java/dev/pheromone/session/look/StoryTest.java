package dev.pheromone.session.look;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.text.Json;

import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.List;

class StoryTest {

    private static final EnvelopeId ID = EnvelopeId.parse("01JBRM7XCN6E9M6KQGM6K3J3E5");
    private static final Domain CODE = Domain.parse("code");
    private static final Instant NOON = Instant.parse("2025-10-15T12:00:00Z");

    private final Story story = new Story(ID);

    private static Json.Obj step(String what, int attempt) {
        return Json.obj()
                .put("ts", NOON.plusSeconds(60).toString())
                .put("what", what)
                .put("by", "claude")
                .put("attempt", attempt);
    }

    private static RseEvent select(int attempt) {
        return new RseEvent.QueenSelect(
                NOON, Lane.CODE, Actor.parse("claude"), ID, "first", CODE, attempt);
    }

    @Test
    void aStepThatAnEventTellsOfIsNoGap() {
        story.addEvent(select(1));
        story.addHistory(CODE, List.of(step("first_seen", 0), step("claim", 1)));
        assertThat(story.chapters()).singleElement().matches(chapter -> !chapter.isGap());
    }

    @Test
    void aStepThatNoEventTellsOfIsAGap() {
        story.addEvent(select(1));
        story.addHistory(CODE, List.of(step("claim", 1), step("claim", 2)));
        assertThat(story.chapters())
                .filteredOn(Story.Chapter::isGap)
                .singleElement()
                .satisfies(gap -> {
                    assertThat(gap.what()).isEqualTo("no event for: claim");
                    assertThat(gap.actor()).isEqualTo("claude");
                    assertThat(gap.data().number("attempt")).isEqualTo(2);
                });
    }

    @Test
    void whatIsAboutAnotherEnvelopeIsAnotherStory() {
        story.addEvent(
                new RseEvent.PheromoneSense(
                        NOON,
                        Lane.CODE,
                        Actor.parse("claude"),
                        "01JBRM7XCN6E9M6KQGM6K3J3E6",
                        null));
        assertThat(story.chapters()).isEmpty();
    }
}
