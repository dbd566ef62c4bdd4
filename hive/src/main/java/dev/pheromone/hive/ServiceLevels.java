package dev.pheromone.hive;

import dev.pheromone.envelope.Ttl;
import dev.pheromone.hive.ServiceLevel.Metric;
import dev.pheromone.hive.ServiceReport.Bucket;
import dev.pheromone.hive.ServiceReport.Course;
import dev.pheromone.hive.ServiceReport.Episode;
import dev.pheromone.rse.Cursor;
import dev.pheromone.rse.Notice;
import dev.pheromone.rse.RseEntry;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseEvent.WorkerAck;
import dev.pheromone.rse.RseKey;
import dev.pheromone.rse.RseLog;
import dev.pheromone.rse.RseReading;
import dev.pheromone.rse.RseScope;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;

/// Measures how a hive keeps its promises: takes the events of its log, in any order, and what only
/// its files can tell.
///
/// An event that was written twice counts once. Not safe for use by several threads.
public final class ServiceLevels {

    /// The parts into which a report divides its time.
    public static final int PARTS = 240;

    private static final String INBOX_FOLDER = "inbox/";
    private static final String PRESSURE = "backpressure";
    private static final String EMIT = "rsm_envelope_emit";

    /// What happens to a copy. A duplicate or a conflict does not: of two copies with one id, it is
    /// about another than the one that was taken.
    private static final Set<String> STEPS =
            Set.of(
                    EMIT,
                    "queen_select",
                    "rsm_envelope_return",
                    "pheromone_expire",
                    "rsm_envelope_dead",
                    "worker_ack",
                    Notice.ANNOUNCED.type(),
                    Notice.HANDED_OVER.type(),
                    Notice.SEEN.type());

    /// A model should see that there is mail within this time.
    private static final Duration SEEN_WITHIN = Duration.ofMinutes(2);

    /// What only the files can tell.
    ///
    /// @param facts steps of envelopes that the files prove
    /// @param told how many of them have their event
    /// @param audited files that were held against the log; 0 if nobody could
    /// @param violations how many of those were changed past the guard
    /// @param withheld mail that waits in the embargo
    public record Evidence(long facts, long told, long audited, long violations, long withheld) {
        /// For a log without its hive.
        public static final Evidence NONE = new Evidence(0, 0, 0, 0, 0);
    }

    private final Set<RseKey> counted = new HashSet<>();
    private final Map<String, Map<String, CopyLife>> copies = new HashMap<>();
    private final List<RseEvent.Backpressure> pressure = new ArrayList<>();
    private long unreadable;

    /// Whether mail is known to have been sent before the time of the report.
    private boolean isOlder;

    /// Levels of a hive whose log is yet to be read.
    public ServiceLevels() {}

    /// Takes in every event of a log.
    public void takeAll(RseLog log) throws IOException {
        unreadable += read(log, RseScope.ALL, this::take);
    }

    /// Takes in what a log tells of copies that are in `open` or had an event since `since`, and of
    /// full inboxes. That is enough for a report from `since` on, and for no other.
    ///
    /// @param open the ids of what waits or is worked on now: of that, nothing else may be told
    ///   since
    public void takeSince(RseLog log, Instant since, Set<String> open) throws IOException {
        long _ = read(log, RseScope.ALL.ofTypes(Set.of(PRESSURE)), this::takePressure);
        Instant from = pressedBefore(since);
        Set<String> ids = new HashSet<>(open);
        long _ =
                read(
                        log,
                        RseScope.ALL.ofTypes(STEPS).since(from),
                        event -> {
                            if (STEPS.contains(event.type()) && !event.ts().isBefore(from)) {
                                event.about().ifPresent(ids::add);
                            }
                        });
        unreadable +=
                read(
                        log,
                        RseScope.ALL.ofTypes(STEPS).about(ids),
                        event -> {
                            if (event.about().filter(ids::contains).isPresent()) {
                                takeStep(event);
                            }
                        });
        isOlder = hasMailBefore(log, since);
    }

    /// Gives the events of a log to `action`, and returns how many lines are no events.
    private static long read(RseLog log, RseScope scope, Consumer<RseEvent> action)
            throws IOException {
        long bad = 0;
        try (RseReading reading = log.read(Cursor.START, scope)) {
            for (Optional<RseEntry> next = reading.next();
                    next.isPresent();
                    next = reading.next()) {
                switch (next.get()) {
                    case RseEntry.Read read -> action.accept(read.event());
                    case RseEntry.Bad _ -> bad++;
                    case RseEntry.Restart _ -> {}
                }
            }
        }
        return bad;
    }

    /// Whether mail was sent before `since`. The first event mostly tells.
    private static boolean hasMailBefore(RseLog log, Instant since) throws IOException {
        try (RseReading reading =
                log.read(Cursor.START, RseScope.ALL.ofTypes(Set.of(EMIT)).until(since))) {
            for (Optional<RseEntry> next = reading.next();
                    next.isPresent();
                    next = reading.next()) {
                if (next.get() instanceof RseEntry.Read read
                        && read.event() instanceof RseEvent.RsmEnvelopeEmit emit
                        && emit.ts().isBefore(since)) {
                    return true;
                }
            }
        }
        return false;
    }

    /// When the oldest pressure began whose end was not told before `since`: whether that is over
    /// may be known by what waited from then on. `since` if there is none.
    private Instant pressedBefore(Instant since) {
        pressure.sort(Comparator.comparing(RseEvent::ts));
        Map<String, Instant> began = new HashMap<>();
        for (RseEvent.Backpressure event : pressure) {
            String inbox = event.data().optionalText("inbox").orElse("");
            if (!event.ts().isBefore(since)) {
                break;
            } else if (event.isOver()) {
                began.remove(inbox);
            } else {
                began.putIfAbsent(inbox, event.ts());
            }
        }
        return began.values().stream().min(Comparator.naturalOrder()).orElse(since);
    }

    /// Takes in one event; one that says nothing about promises leaves nothing.
    public void take(RseEvent event) {
        if (event instanceof RseEvent.Backpressure) {
            takePressure(event);
        } else {
            takeStep(event);
        }
    }

    private void takePressure(RseEvent event) {
        if (event instanceof RseEvent.Backpressure passed && isNew(event)) {
            pressure.add(passed);
        }
    }

    /// Whether the event counts: it is of this hive's own mail, and was not taken in before.
    private boolean isNew(RseEvent event) {
        // What became of mail on another transport is not in this log.
        return !event.data().has("via") && event.key().map(counted::add).orElse(true);
    }

    private void takeStep(RseEvent event) {
        if (!STEPS.contains(event.type()) || !isNew(event)) {
            return;
        }
        switch (event) {
            case RseEvent.RsmEnvelopeEmit emit -> copy(event).sent(event.ts(), lifeOf(emit));
            case RseEvent.QueenSelect _ when event.key().isPresent() ->
                    copy(event).taken(event.ts());
            case RseEvent.RsmEnvelopeReturn _ -> copy(event).returned(event.ts());
            case RseEvent.PheromoneExpire _ -> copy(event).expired(event.ts());
            case RseEvent.RsmEnvelopeDead _ -> copy(event).rejected(event.ts());
            case WorkerAck ack when ack.status() == WorkerAck.Status.DONE ->
                    copy(event).done(event.ts(), event.data().optionalNumber("attempt").orElse(0));
            case RseEvent.Other _ ->
                    Notice.of(event).ifPresent(notice -> takeNotice(notice, event));
            default -> {}
        }
    }

    private void takeNotice(Notice notice, RseEvent event) {
        if (notice == Notice.SEEN) {
            copy(event).seen(event.ts());
        } else {
            copy(event).told(event.ts());
        }
    }

    private static @Nullable Duration lifeOf(RseEvent.RsmEnvelopeEmit emit) {
        try {
            return emit.data()
                    .optionalText("ttl")
                    .map(text -> Ttl.parse(text).duration())
                    .orElse(null);
        } catch (IllegalArgumentException unreadable) {
            return null;
        }
    }

    /// The copy that an event is about. A writer that names no inbox means the only copy there is,
    /// and what it told of belongs to the inbox that is named later.
    private CopyLife copy(RseEvent event) {
        Map<String, CopyLife> ofId =
                copies.computeIfAbsent(event.about().orElse(""), _ -> new HashMap<>(2));
        String inbox = inboxOf(event);
        if (inbox.isEmpty() && ofId.size() == 1) {
            return ofId.values().iterator().next();
        }
        CopyLife unnamed = ofId.size() == 1 ? ofId.remove("") : null;
        return ofId.computeIfAbsent(inbox, _ -> unnamed == null ? new CopyLife() : unnamed);
    }

    /// The inbox that an event names, by itself or by a path in it; else empty.
    private static String inboxOf(RseEvent event) {
        Optional<String> named = event.data().optionalText("inbox");
        if (named.isPresent()) {
            return named.get();
        }
        String path = event.data().optionalText("path").orElse("");
        int from = path.indexOf(INBOX_FOLDER);
        int to = from < 0 ? -1 : path.indexOf('/', from + INBOX_FOLDER.length());
        return to < 0 ? "" : path.substring(from + INBOX_FOLDER.length(), to);
    }

    /// What happened from `since` until `now`, as far as it was taken in.
    public ServiceReport report(Instant since, Instant now, Evidence evidence) {
        List<Duration> latencies = new ArrayList<>();
        long decided = 0;
        long delivered = 0;
        long open = 0;
        long effects = 0;
        long repeated = 0;
        long told = 0;
        long seen = 0;
        for (Map<String, CopyLife> ofId : copies.values()) {
            for (CopyLife copy : ofId.values()) {
                long ofCopy = copy.effects(since, now);
                effects += ofCopy;
                repeated += Math.max(0, ofCopy - 1);
                if (!copy.isSentWithin(since, now)) {
                    continue;
                }
                Duration latency = copy.latency();
                if (latency != null) {
                    latencies.add(latency);
                }
                told += copy.tellsOfSeeing(SEEN_WITHIN, now) ? 1 : 0;
                seen +=
                        copy.tellsOfSeeing(SEEN_WITHIN, now) && copy.isSeenWithin(SEEN_WITHIN)
                                ? 1
                                : 0;
                open += copy.isOpen(now) ? 1 : 0;
                decided += copy.isDecided(now) ? 1 : 0;
                delivered += copy.isDecided(now) && copy.isDelivered() ? 1 : 0;
            }
        }
        latencies.sort(null);
        Map<String, NavigableMap<Instant, Integer>> waiting = waiting();
        List<Episode> episodes = episodes(waiting, since, now);
        List<ServiceLevel> levels = new ArrayList<>();
        levels.add(level(Metric.LATENCY_P50, percentile(latencies, 50), latencies.size()));
        levels.add(level(Metric.LATENCY_P95, percentile(latencies, 95), latencies.size()));
        levels.add(level(Metric.DELIVERY, (double) delivered / decided, decided));
        levels.add(level(Metric.DUPLICATES, (double) repeated / effects, effects));
        levels.add(
                level(
                        Metric.COVERAGE,
                        (double) evidence.told() / evidence.facts(),
                        evidence.facts()));
        // What is gone is a violation too, and no file to count.
        levels.add(
                level(
                        Metric.VIOLATIONS,
                        (double) evidence.violations(),
                        Math.max(evidence.audited(), evidence.violations())));
        levels.add(level(Metric.RECOVERY, longest(episodes, now), episodes.size()));
        levels.add(level(Metric.SEEN, (double) seen / told, told));
        Instant drawnFrom = isOlder ? since : drawnFrom(waiting, since, now);
        return new ServiceReport(
                since,
                now,
                drawnFrom,
                levels,
                buckets(latencies),
                courses(waiting, changes -> most(changes, drawnFrom, now)),
                courses(stretches(), stretches -> oldest(stretches, drawnFrom, now)),
                courses(ends(), ends -> counts(ends, drawnFrom, now)),
                episodes,
                open,
                evidence.withheld(),
                unreadable);
    }

    private static ServiceLevel level(Metric metric, double value, long samples) {
        return new ServiceLevel(metric, samples == 0 ? null : value, samples);
    }

    /// By nearest rank: a value that some copy really took.
    private static double percentile(List<Duration> sorted, int percent) {
        if (sorted.isEmpty()) {
            return 0;
        }
        int rank = (int) Math.ceil(percent / 100.0 * sorted.size());
        return seconds(sorted.get(Math.max(0, rank - 1)));
    }

    private static double longest(List<Episode> episodes, Instant now) {
        double longest = 0;
        for (Episode episode : episodes) {
            longest = Math.max(longest, seconds(episode.length(now)));
        }
        return longest;
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1e3;
    }

    /// From the first to the last that has any, each twice as wide as the one before.
    private static List<Bucket> buckets(List<Duration> sorted) {
        List<Bucket> buckets = new ArrayList<>();
        int next = 0;
        for (long to = 1; next < sorted.size(); to *= 2) {
            long from = to == 1 ? 0 : to / 2;
            int first = next;
            while (next < sorted.size() && sorted.get(next).toMillis() < to) {
                next++;
            }
            if (next > first || !buckets.isEmpty()) {
                buckets.add(
                        new Bucket(Duration.ofMillis(from), Duration.ofMillis(to), next - first));
            }
        }
        return buckets;
    }

    /// The times in which inboxes were too full, as far as they touch ours. One that nobody told
    /// the end of is over when nothing waited any more: whoever should tell may have lost its
    /// notes.
    private List<Episode> episodes(
            Map<String, NavigableMap<Instant, Integer>> waiting, Instant since, Instant now) {
        pressure.sort(Comparator.comparing(RseEvent::ts));
        Map<String, Instant> began = new TreeMap<>();
        List<Episode> episodes = new ArrayList<>();
        for (RseEvent.Backpressure event : pressure) {
            if (event.ts().isAfter(now)) {
                break;
            }
            String inbox = event.data().optionalText("inbox").orElse("");
            Instant from = began.get(inbox);
            Instant empty = from == null ? null : firstEmpty(waiting.get(inbox), from);
            if (from != null && empty != null && empty.isBefore(event.ts())) {
                episodes.add(new Episode(inbox, from, empty));
                began.remove(inbox);
                from = null;
            }
            if (!event.isOver()) {
                began.putIfAbsent(inbox, event.ts());
            } else if (from != null) {
                episodes.add(new Episode(inbox, from, event.ts()));
                began.remove(inbox);
            }
        }
        began.forEach((inbox, from) ->
                episodes.add(new Episode(inbox, from, firstEmpty(waiting.get(inbox), from))));
        episodes.removeIf(episode -> episode.to() != null && episode.to().isBefore(since));
        episodes.sort(Comparator.comparing(Episode::from));
        return episodes;
    }

    /// When nothing waited for the first time from `from` on; null if something always did.
    private static @Nullable Instant firstEmpty(
            @Nullable NavigableMap<Instant, Integer> changes, Instant from) {
        if (changes == null) {
            return from;
        }
        int depth = 0;
        for (int change : changes.headMap(from, true).values()) {
            depth += change;
        }
        if (depth <= 0) {
            return from;
        }
        for (Map.Entry<Instant, Integer> change : changes.tailMap(from, false).entrySet()) {
            depth += change.getValue();
            if (depth <= 0) {
                return change.getKey();
            }
        }
        return null;
    }

    /// How the number of those that wait changes, by inbox.
    private Map<String, NavigableMap<Instant, Integer>> waiting() {
        Map<String, NavigableMap<Instant, Integer>> changes = new TreeMap<>();
        for (Map<String, CopyLife> ofId : copies.values()) {
            ofId.forEach((inbox, copy) -> {
                NavigableMap<Instant, Integer> ofInbox =
                        changes.computeIfAbsent(inbox, _ -> new TreeMap<>());
                copy.waits((at, change) -> ofInbox.merge(at, change, Integer::sum));
            });
        }
        return changes;
    }

    /// When the first copy that is known began to wait, within the time from `since` until `now`.
    private static Instant drawnFrom(
            Map<String, NavigableMap<Instant, Integer>> waiting, Instant since, Instant now) {
        Instant first = now;
        for (NavigableMap<Instant, Integer> changes : waiting.values()) {
            if (!changes.isEmpty() && changes.firstKey().isBefore(first)) {
                first = changes.firstKey();
            }
        }
        return first.isAfter(since) && first.isBefore(now) ? first : since;
    }

    private static <T> List<Course> courses(
            Map<String, T> known, Function<T, List<Integer>> course) {
        List<Course> courses = new ArrayList<>();
        known.forEach((inbox, all) -> {
            if (!inbox.isEmpty()) {
                courses.add(new Course(inbox, course.apply(all)));
            }
        });
        return courses;
    }

    /// A time in which a copy waited.
    ///
    /// @param to [Instant#MAX] while it still does
    /// @param born when it began to wait for the first time
    private record Stretch(Instant from, Instant to, Instant born) {}

    /// When copies waited, by inbox.
    private Map<String, List<Stretch>> stretches() {
        Map<String, List<Stretch>> stretches = new TreeMap<>();
        for (Map<String, CopyLife> ofId : copies.values()) {
            ofId.forEach((inbox, copy) -> {
                List<Stretch> ofInbox = stretches.computeIfAbsent(inbox, _ -> new ArrayList<>());
                Instant born = copy.firstWaited();
                Instant[] from = {null};
                copy.waits((at, change) -> {
                    if (change < 0 && from[0] != null && born != null) {
                        ofInbox.add(new Stretch(from[0], at, born));
                    }
                    from[0] = change > 0 ? at : null;
                });
                if (from[0] != null && born != null) {
                    ofInbox.add(new Stretch(from[0], Instant.MAX, born));
                }
            });
        }
        return stretches;
    }

    /// How many seconds the oldest had waited at the end of each part.
    private static List<Integer> oldest(List<Stretch> stretches, Instant since, Instant now) {
        stretches.sort(Comparator.comparing(Stretch::from));
        Queue<Stretch> waiting = new PriorityQueue<>(Comparator.comparing(Stretch::born));
        List<Integer> oldest = new ArrayList<>(PARTS);
        int next = 0;
        for (int part = 1; part <= PARTS; part++) {
            Instant end = end(part, since, now);
            while (next < stretches.size() && !stretches.get(next).from().isAfter(end)) {
                waiting.add(stretches.get(next++));
            }
            while (!waiting.isEmpty() && !waiting.element().to().isAfter(end)) {
                waiting.remove();
            }
            oldest.add(
                    waiting.isEmpty()
                            ? 0
                            : (int) Duration.between(waiting.element().born(), end).toSeconds());
        }
        return oldest;
    }

    /// When copies came to their end, by inbox.
    private Map<String, List<Instant>> ends() {
        Map<String, List<Instant>> ends = new TreeMap<>();
        for (Map<String, CopyLife> ofId : copies.values()) {
            ofId.forEach((inbox, copy) -> {
                Instant end = copy.endedAt();
                if (end != null) {
                    ends.computeIfAbsent(inbox, _ -> new ArrayList<>()).add(end);
                }
            });
        }
        return ends;
    }

    private static List<Integer> counts(List<Instant> times, Instant since, Instant now) {
        times.sort(null);
        List<Integer> counts = new ArrayList<>(PARTS);
        int next = 0;
        while (next < times.size() && times.get(next).isBefore(since)) {
            next++;
        }
        for (int part = 1; part <= PARTS; part++) {
            Instant end = end(part, since, now);
            int first = next;
            while (next < times.size()
                    && (part == PARTS
                            ? !times.get(next).isAfter(end)
                            : times.get(next).isBefore(end))) {
                next++;
            }
            counts.add(next - first);
        }
        return counts;
    }

    private static Instant end(int part, Instant since, Instant now) {
        long whole = Math.max(1, Duration.between(since, now).toMillis());
        return since.plusMillis(whole * part / PARTS);
    }

    private static List<Integer> most(
            NavigableMap<Instant, Integer> changes, Instant since, Instant now) {
        int depth = 0;
        for (int change : changes.headMap(since).values()) {
            depth += change;
        }
        List<Integer> most = new ArrayList<>(PARTS);
        Instant from = since;
        for (int part = 1; part <= PARTS; part++) {
            Instant to = end(part, since, now);
            int highest = depth;
            for (int change : changes.subMap(from, true, to, part == PARTS).values()) {
                depth += change;
                highest = Math.max(highest, depth);
            }
            most.add(highest);
            from = to;
        }
        return most;
    }
}
