package dev.pheromone.cli.mail;

import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.selection.Waiting;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Tells what is new in an inbox from one look to the next.
public final class Arrivals {

    /// A place in the order of arrival, to go on from: `1760548200000-01JB…`.
    public record Place(long arrivedMs, String id) implements Comparable<Place> {

        public static Place of(Waiting.Mail mail) {
            return new Place(mail.urgency().firstSeen().toEpochMilli(), mail.header().id().text());
        }

        /// The place that was typed, else `now`.
        public static Place typed(@Nullable String text, Instant now) {
            if (text == null) {
                return new Place(now.toEpochMilli(), "");
            }
            int dash = text.indexOf('-');
            try {
                return dash < 0
                        ? new Place(Long.parseLong(text), "")
                        : new Place(
                                Long.parseLong(text.substring(0, dash)), text.substring(dash + 1));
            } catch (NumberFormatException e) {
                throw new CliException(
                        ErrorCode.USAGE,
                        "option --after: found \""
                                + text
                                + "\", expected a cursor that rsm watch printed, or 0",
                        e);
            }
        }

        @Override
        public int compareTo(Place other) {
            int order = Long.compare(arrivedMs, other.arrivedMs);
            return order != 0 ? order : id.compareTo(other.id);
        }

        @Override
        public String toString() {
            return arrivedMs + "-" + id;
        }
    }

    private final Place start;
    private final Set<String> shown = new HashSet<>();

    /// @param start only what arrived after this is new
    public Arrivals(Place start) {
        this.start = start;
    }

    /// What of `waiting` was not in an earlier look, in the order of arrival.
    public List<Waiting.Mail> in(List<Waiting> waiting) {
        List<Waiting.Mail> arrived = new ArrayList<>();
        Set<String> present = new HashSet<>();
        for (Waiting item : waiting) {
            if (item instanceof Waiting.Mail mail) {
                String id = mail.header().id().text();
                present.add(id);
                if (shown.add(id) && Place.of(mail).compareTo(start) > 0) {
                    arrived.add(mail);
                }
            }
        }
        // What left and comes back, returned by a worker that failed, is shown again.
        shown.retainAll(present);
        arrived.sort(Comparator.comparing(Place::of));
        return arrived;
    }
}
