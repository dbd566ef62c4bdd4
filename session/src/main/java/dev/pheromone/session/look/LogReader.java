package dev.pheromone.session.look;

import dev.pheromone.address.Lane;
import dev.pheromone.rse.Cursor;
import dev.pheromone.rse.RseEntry;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseReading;
import dev.pheromone.rse.RseScope;
import dev.pheromone.rse.RseTypes;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.Lanes;
import dev.pheromone.session.caller.Phrase;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.hive.Passage;
import dev.pheromone.text.Nearest;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// One way through a hive's event log, with what can't be read in it counted and shown.
public final class LogReader {

    /// How long to sleep at most before the log is looked at again, should a notice be lost.
    private static final Duration WAKE = Duration.ofSeconds(1);

    /// Among how many events at the end of the log the last few that are wanted are looked for at
    /// first, and how much further back each time; beyond the last count, in the whole log.
    private static final int TAIL_FIRST = 256;

    private static final int TAIL_GROWTH = 32;
    private static final int TAIL_LAST = 1_000_000;

    /// Which events are wanted; null, and an empty list, leave out none.
    ///
    /// @param ref the id of the envelope that they are about, or the end of it
    public record Wish(
            List<String> types,
            @Nullable String lane,
            @Nullable String actor,
            @Nullable String ref,
            @Nullable Instant since,
            @Nullable Instant until) {

        public Wish {
            types = List.copyOf(types);
        }

        boolean covers(RseEvent event) {
            return (types.isEmpty() || types.contains(event.type()))
                    && (lane == null || lane.equalsIgnoreCase(event.lane().name()))
                    && (actor == null || actor.equalsIgnoreCase(event.actor()))
                    && (ref == null || isAbout(event, ref.toUpperCase(Locale.ROOT)))
                    && (since == null || !event.ts().isBefore(since))
                    && (until == null || event.ts().isBefore(until));
        }

        /// The part of the log in which to look.
        RseScope scope() {
            RseScope scope = RseScope.ALL.ofTypes(Set.copyOf(types)).since(since).until(until);
            return ref == null || ref.length() < RseScope.KEY_LENGTH
                    ? scope
                    : scope.about(Set.of(ref));
        }

        private static boolean isAbout(RseEvent event, String ref) {
            return event.about()
                    .filter(about -> about.toUpperCase(Locale.ROOT).endsWith(ref))
                    .isPresent();
        }
    }

    /// Where to begin, and where to end.
    ///
    /// @param after null for the beginning of the log
    /// @param limit the first so many
    /// @param tail the last so many; 0 for all
    /// @param follow whether to go on with what comes, until the thread is interrupted
    public record Range(@Nullable Cursor after, int limit, int tail, boolean follow) {}

    /// Is told what is read, as it is read.
    public interface Log {

        /// An event that is wanted.
        ///
        /// @param cursor where to continue after the event; null if it is not asked for
        void event(RseEvent event, @Nullable Cursor cursor);

        /// A line that is no event.
        void bad(RseEntry.Bad line);
    }

    /// The end of a reading.
    ///
    /// @param count how many events were wanted
    /// @param bad how many lines could not be read
    /// @param more whether the log goes on
    /// @param cursor where to continue
    public record End(int count, int bad, boolean more, Cursor cursor) {}

    private record Line(RseEvent event, @Nullable Cursor cursor) {}

    private final Caller caller;
    private final OpenHive hive;
    private final @Nullable Passage passage;
    private final Wish wish;
    private final Range range;
    private final Log log;

    /// Held back until the end is reached, and only the last of them are shown.
    private final Deque<Line> tail = new ArrayDeque<>();

    private final Set<String> types = new TreeSet<>();
    private final Set<Lane> lanes = new HashSet<>();
    private RseScope read = RseScope.ALL;
    private int shown;
    private int bad;

    /// A reading that is yet to be done.
    ///
    /// @param passage says what the caller may be told; null for all
    public LogReader(
            Caller caller,
            OpenHive hive,
            @Nullable Passage passage,
            Wish wish,
            Range range,
            Log log) {
        this.caller = caller;
        this.hive = hive;
        this.passage = passage;
        this.wish = wish;
        this.range = range;
        this.log = log;
    }

    public End run() throws IOException {
        Cursor after = range.after();
        read = scope();
        try (RseReading reading = hive.log().read(after == null ? Cursor.START : after, read)) {
            boolean atEnd = false;
            while (shown < range.limit()) {
                Optional<RseEntry> next =
                        range.follow() && atEnd ? reading.next(WAKE) : reading.next();
                if (next.isPresent()) {
                    take(next.get(), range.follow() ? reading.cursor() : null, atEnd);
                    continue;
                }
                if (!atEnd) {
                    atEnd = true;
                    takeKept();
                    tail.forEach(this::show);
                    tail.clear();
                    warnOfUnknown();
                }
                if (!range.follow() || Thread.currentThread().isInterrupted()) {
                    break;
                }
            }
            return new End(shown, bad, !atEnd, reading.cursor());
        }
    }

    /// The part of the log that has all that is wanted: of the last few, most of it has not.
    private RseScope scope() throws IOException {
        if (range.tail() > 0 && range.after() == null) {
            for (int count = Math.max(TAIL_FIRST, range.tail());
                    count < TAIL_LAST;
                    count *= TAIL_GROWTH) {
                RseScope part = wish.scope().last(count);
                if (holdsTail(part)) {
                    return part;
                }
            }
        }
        return wish.scope();
    }

    private boolean holdsTail(RseScope part) throws IOException {
        int found = 0;
        try (RseReading reading = hive.log().read(Cursor.START, part)) {
            for (Optional<RseEntry> next = reading.next();
                    next.isPresent() && found < range.tail();
                    next = reading.next()) {
                if (next.get() instanceof RseEntry.Read line
                        && told(line.event()).filter(wish::covers).isPresent()) {
                    found++;
                }
            }
        }
        return found >= range.tail();
    }

    private void take(RseEntry entry, @Nullable Cursor cursor, boolean atEnd) {
        switch (entry) {
            case RseEntry.Read read -> take(read.event(), cursor, atEnd);
            case RseEntry.Bad line -> {
                bad++;
                log.bad(passage == null ? line : passage.told(line));
            }
            case RseEntry.Restart restart ->
                    caller.note("the log begins anew: " + restart.reason());
        }
    }

    /// What a lock kept out of the log; whoever follows gets it when it is in the log.
    private void takeKept() throws IOException {
        if (!range.follow()) {
            for (RseEvent event : hive.transport().embargo().events()) {
                if (shown < range.limit()) {
                    take(event, null, false);
                }
            }
        }
    }

    private void take(RseEvent event, @Nullable Cursor cursor, boolean atEnd) {
        told(event).ifPresent(told -> take(new Line(told, cursor), atEnd));
    }

    private Optional<RseEvent> told(RseEvent event) {
        return passage == null ? Optional.of(event) : passage.told(event);
    }

    private void take(Line line, boolean atEnd) {
        types.add(line.event().type());
        lanes.add(line.event().lane());
        if (!wish.covers(line.event())) {
            return;
        }
        if (range.tail() == 0 || atEnd) {
            show(line);
            return;
        }
        tail.addLast(line);
        if (tail.size() > range.tail()) {
            tail.removeFirst();
        }
    }

    private void show(Line line) {
        log.event(line.event(), line.cursor());
        shown++;
    }

    /// Whether a name was typed that neither the hive has nor an event that was read.
    private boolean hasUnknown() {
        String lane = wish.lane();
        return !types.containsAll(
                        wish.types().stream().filter(type -> !RseTypes.ALL.contains(type)).toList())
                || (lane != null
                        && !Lanes.isKnown(hive.config(), lane)
                        && lanes.stream().noneMatch(known -> known.name().equalsIgnoreCase(lane)));
    }

    /// Takes in the types and lanes of the whole log, of which a part may have been passed by.
    private void readNames() throws IOException {
        if (read.equals(RseScope.ALL)) {
            return;
        }
        try (RseReading reading = hive.log().read(Cursor.START)) {
            for (Optional<RseEntry> next = reading.next();
                    next.isPresent();
                    next = reading.next()) {
                if (next.get() instanceof RseEntry.Read read) {
                    told(read.event())
                            .ifPresent(event -> {
                                types.add(event.type());
                                lanes.add(event.lane());
                            });
                }
            }
        }
    }

    /// An empty answer to a mistyped filter looks like a quiet hive. The set of types is open, so
    /// that no type is wrong as such.
    private void warnOfUnknown() throws IOException {
        if (range.after() != null) {
            return;
        }
        if (hasUnknown()) {
            readNames();
        }
        for (String typed : wish.types()) {
            if (!RseTypes.ALL.contains(typed) && !types.contains(typed)) {
                Set<String> known = new TreeSet<>(RseTypes.ALL);
                known.addAll(types);
                List<String> nearest = Nearest.to(typed, known);
                caller.warn(
                        "no event in this log is of type "
                                + typed
                                + (nearest.isEmpty()
                                        ? "; there are " + Phrase.and(List.copyOf(types))
                                        : "; did you mean " + Phrase.or(nearest) + "?"));
            }
        }
        Lanes.require(hive.config(), wish.lane(), lanes.stream());
    }
}
