package dev.pheromone.session.look;

import dev.pheromone.address.Domain;
import dev.pheromone.rse.Notice;
import dev.pheromone.rse.RseEvent;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/// How far each copy of one envelope came, leg by leg, each by an event of its own. A leg without
/// one has no evidence, whatever is known of later legs.
public final class Legs {

    /// A part of the way from a sender to work that is done, in the order in which they are gone.
    public enum Leg {
        /// The copy is on the disk.
        STORED,
        /// A session was told, in a way that does not show whether the text arrived.
        ANNOUNCED,
        /// A hook of a session printed a text that names the copy.
        HANDED_OVER,
        /// A model answered a request that had that text in it.
        SEEN,
        TAKEN,
        DONE;

        /// The name in answers.
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }

        /// The name for people.
        public String words() {
            return toString().replace('_', ' ');
        }
    }

    /// What shows that a leg was gone.
    ///
    /// @param by the event, and for a notice what rang or what showed it
    public record Proof(Instant at, String actor, String by) {}

    private final Map<String, Map<Leg, Proof>> copies = new HashMap<>();
    private final Map<String, String> ends = new HashMap<>();

    /// Takes in an event about the envelope; one that tells of no leg leaves nothing.
    public void take(RseEvent event) {
        String inbox = event.data().optionalText("inbox").orElse("");
        switch (event) {
            case RseEvent.RsmEnvelopeEmit _ -> add(inbox, Leg.STORED, event, event.type());
            case RseEvent.QueenSelect _, RseEvent.RsmEnvelopeRecv _ ->
                    add(inbox, Leg.TAKEN, event, event.type());
            case RseEvent.WorkerAck ack when ack.status() == RseEvent.WorkerAck.Status.DONE ->
                    add(inbox, Leg.DONE, event, event.type());
            case RseEvent.PheromoneExpire _ -> ends.putIfAbsent(inbox, "expired");
            case RseEvent.RsmEnvelopeDead _ -> ends.putIfAbsent(inbox, "dead");
            case RseEvent.Other _ ->
                    Notice.of(event).ifPresent(notice -> add(inbox, notice, event));
            default -> {}
        }
    }

    private void add(String inbox, Notice notice, RseEvent event) {
        Leg leg =
                switch (notice) {
                    case ANNOUNCED -> Leg.ANNOUNCED;
                    case HANDED_OVER -> Leg.HANDED_OVER;
                    case SEEN -> Leg.SEEN;
                };
        add(inbox, leg, event, Notice.by(event));
    }

    /// The first time counts.
    private void add(String inbox, Leg leg, RseEvent event, String by) {
        Map<Leg, Proof> legs = copies.computeIfAbsent(inbox, _ -> new EnumMap<>(Leg.class));
        Proof known = legs.get(leg);
        if (known == null || event.ts().isBefore(known.at())) {
            legs.put(leg, new Proof(event.ts(), event.actor(), by));
        }
    }

    /// What shows that the copy in `inbox` has gone `leg`; null if there is no evidence.
    public @Nullable Proof proof(Domain inbox, Leg leg) {
        return copies.getOrDefault(inbox.name(), Map.of()).get(leg);
    }

    /// The last leg of which there is evidence; null if there is none of any.
    public @Nullable Leg last(Domain inbox) {
        Leg last = null;
        for (Leg leg : copies.getOrDefault(inbox.name(), Map.of()).keySet()) {
            last = last == null || leg.compareTo(last) > 0 ? leg : last;
        }
        return last;
    }

    /// How the copy ended without being done: `dead` or `expired`; null if it did not.
    public @Nullable String end(Domain inbox) {
        return proof(inbox, Leg.DONE) == null ? ends.get(inbox.name()) : null;
    }
}
