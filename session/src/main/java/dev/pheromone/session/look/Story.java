package dev.pheromone.session.look;

import dev.pheromone.address.Domain;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.rse.Notice;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.text.Json;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// What happened to one envelope, from the two sources that tell: the event log, and the history
/// beside its file.
///
/// Both tell of each claim and each end. A step that only the history tells of is a gap in the log.
public final class Story {

    public enum Source {
        EVENT("event"),
        /// The step of a history that has no event.
        GAP("gap");

        private final String word;

        Source(String word) {
            this.word = word;
        }

        public String word() {
            return word;
        }
    }

    public record Chapter(Instant at, Source source, String what, String actor, Json.Obj data) {
        public boolean isGap() {
            return source == Source.GAP;
        }
    }

    private final EnvelopeId id;
    private final List<Chapter> chapters = new ArrayList<>();
    private final Set<String> told = new HashSet<>();

    public Story(EnvelopeId id) {
        this.id = id;
    }

    /// Whether an event belongs to the story.
    public boolean isAbout(RseEvent event) {
        return event.about().filter(id.text()::equals).isPresent();
    }

    public void addEvent(RseEvent event) {
        if (!isAbout(event)) {
            return;
        }
        chapters.add(
                new Chapter(event.ts(), Source.EVENT, event.type(), event.actor(), event.data()));
        String place =
                event.data().optionalText("inbox").orElse("")
                        + " "
                        + event.data().optionalNumber("attempt").orElse(0);
        switch (event) {
            case RseEvent.QueenSelect select -> told.add("claim " + place);
            case RseEvent.RsmEnvelopeReturn back -> told.add("return " + place);
            case RseEvent.WorkerAck ack -> {
                // That work was taken on says nothing of how it ended.
                if (ack.status() != RseEvent.WorkerAck.Status.ACCEPTED) {
                    told.add("outcome " + place);
                }
            }
            case RseEvent.Other _ when Notice.of(event).isPresent() -> {}
            default -> told.add("outcome " + event.data().optionalText("inbox").orElse("") + " 0");
        }
    }

    /// Adds the steps that no event told of. To be called after all events are known.
    public void addHistory(Domain inbox, List<Json.Obj> steps) {
        for (Json.Obj step : steps) {
            String what = step.optionalText("what").orElse("");
            String key = what + " " + inbox.name() + " " + step.optionalNumber("attempt").orElse(0);
            boolean needsEvent =
                    what.equals("claim") || what.equals("return") || what.equals("outcome");
            if (needsEvent && !told.contains(key)) {
                chapters.add(
                        new Chapter(
                                at(step),
                                Source.GAP,
                                "no event for: " + what,
                                step.optionalText("by").orElse(""),
                                step.without("ts")
                                        .without("what")
                                        .without("by")
                                        .put("inbox", inbox.name())));
            }
        }
    }

    /// All of it, oldest first.
    public List<Chapter> chapters() {
        List<Chapter> sorted = new ArrayList<>(chapters);
        sorted.sort(Comparator.comparing(Chapter::at));
        return sorted;
    }

    private static Instant at(Json.Obj step) {
        try {
            return step.optionalText("ts").map(Instant::parse).orElse(Instant.EPOCH);
        } catch (DateTimeParseException e) {
            return Instant.EPOCH;
        }
    }
}
