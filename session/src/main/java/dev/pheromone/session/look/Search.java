package dev.pheromone.session.look;

import dev.pheromone.address.Domain;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.Header;
import dev.pheromone.envelope.MalformedEnvelopeException;
import dev.pheromone.file.upkeep.Catalog;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseScope;
import dev.pheromone.session.caller.Phrase;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.hive.Passage;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// Looks for text in the bodies and topics of all mail of a hive and in its events, without case.
public final class Search {

    private static final int EXCERPT_LENGTH = 80;

    /// A place where a hive keeps text; its name in lower case is the word for it.
    public enum Place {
        INBOX,
        ARCHIVE,
        LOG;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// Text that was found.
    ///
    /// @param id of the envelope; empty if there is none
    /// @param topic of the envelope, or the type of an event
    /// @param location the file; empty for an event
    public record Hit(
            Place place, String id, String topic, Instant at, String excerpt, String location) {}

    private final OpenHive hive;
    private final @Nullable Passage passage;
    private final SearchWords wanted;
    private final List<Hit> hits = new ArrayList<>();

    /// A search for `text`.
    ///
    /// @param passage says what may be shown; null for all
    /// @param now from which ages in it count back
    public Search(OpenHive hive, @Nullable Passage passage, String text, Instant now) {
        this.hive = hive;
        this.passage = passage;
        this.wanted = new SearchWords(text, now);
    }

    /// All that is found in these places: mail first, then events.
    public List<Hit> in(Set<Place> places) throws IOException {
        for (Domain domain : hive.transport().domains()) {
            for (Catalog.Item item : hive.catalog().all(domain)) {
                Place place = item.state().isFinal() ? Place.ARCHIVE : Place.INBOX;
                if (places.contains(place)) {
                    searchMail(place, item);
                }
            }
        }
        if (places.contains(Place.LOG) && !wanted.areOfMail()) {
            new EventWalk(hive)
                    .forEach(
                            wanted.text().isEmpty()
                                    ? RseScope.ALL
                                    : RseScope.ALL.withWordOf(wanted.text()),
                            event ->
                                    wanted.want(event)
                                            && told(event)
                                                    .filter(told -> placeIn(textOf(told)) >= 0)
                                                    .isPresent(),
                            event -> told(event).ifPresent(this::addEvent));
        }
        return hits;
    }

    private Optional<RseEvent> told(RseEvent event) {
        return passage == null ? Optional.of(event) : passage.told(event);
    }

    private void searchMail(Place place, Catalog.Item item) throws IOException {
        byte[] bytes;
        try {
            bytes = hive.catalog().read(item);
        } catch (NoSuchFileException e) {
            // The copy moved while we looked.
            return;
        }
        try {
            Envelope envelope = Envelope.parse(bytes);
            if (passage != null && !passage.allows(item.inbox(), Header.of(envelope))) {
                return;
            }
            if (!wanted.want(envelope, item.inbox(), item.state())) {
                return;
            }
            for (String text : List.of(envelope.topic(), envelope.bodyText())) {
                if (add(
                        text,
                        place,
                        envelope.id().text(),
                        envelope.topic(),
                        envelope.ts(),
                        item.location())) {
                    return;
                }
            }
        } catch (MalformedEnvelopeException e) {
            if (passage != null || !wanted.arePlain()) {
                // Nobody knows whose it is.
                return;
            }
            // What is no envelope may still be what somebody looks for.
            boolean _ =
                    add(
                            new String(bytes, StandardCharsets.UTF_8),
                            place,
                            item.id() == null ? "" : item.id().text(),
                            "(no envelope)",
                            item.since() == null ? Instant.EPOCH : item.since(),
                            item.location());
        }
    }

    private static String textOf(RseEvent event) {
        return event.type() + " " + event.actor() + " " + Phrase.fields(event.data());
    }

    private void addEvent(RseEvent event) {
        boolean _ =
                add(
                        textOf(event),
                        Place.LOG,
                        event.about().orElse(""),
                        event.type(),
                        event.ts(),
                        "");
    }

    private boolean add(
            String text, Place place, String id, String topic, Instant at, String location) {
        int found = placeIn(text);
        if (found >= 0) {
            hits.add(new Hit(place, id, topic, at, excerpt(text, found), location));
        }
        return found >= 0;
    }

    private int placeIn(String text) {
        return text.toLowerCase(Locale.ROOT).indexOf(wanted.text());
    }

    /// Some of the text around the place that was found, on one line.
    private static String excerpt(String text, int at) {
        int start = Math.max(0, Math.min(at - EXCERPT_LENGTH / 4, text.length() - EXCERPT_LENGTH));
        int end = Math.min(text.length(), start + EXCERPT_LENGTH);
        return text.substring(start, end).replaceAll("\\s+", " ").strip();
    }
}
