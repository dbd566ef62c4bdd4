package dev.pheromone.hive;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// What the log tells of one copy of an envelope. Its events may come in any order: recovery writes
/// late what happened early.
final class CopyLife {

    private enum Step {
        SENT,
        TAKEN,
        RETURNED,
        ENDED
    }

    private record At(Instant ts, Step step) {}

    /// @param attempt 0 if its writer did not say
    private record Done(Instant ts, long attempt) {}

    /// One more waiting, or one less.
    interface Changes {
        void add(Instant at, int change);
    }

    private final List<At> steps = new ArrayList<>(4);
    private final List<Done> done = new ArrayList<>(1);
    private @Nullable Instant sentAt;
    private @Nullable Duration ttl;
    private @Nullable Instant takenAt;
    private @Nullable Instant toldAt;
    private @Nullable Instant seenAt;
    private boolean expired;
    private boolean rejected;

    void sent(Instant ts, @Nullable Duration timeToLive) {
        steps.add(new At(ts, Step.SENT));
        sentAt = earlier(sentAt, ts);
        ttl = timeToLive;
    }

    void taken(Instant ts) {
        steps.add(new At(ts, Step.TAKEN));
        takenAt = earlier(takenAt, ts);
    }

    /// A session was told that the copy is there.
    void told(Instant ts) {
        toldAt = earlier(toldAt, ts);
    }

    /// A model saw that the copy is there.
    void seen(Instant ts) {
        seenAt = earlier(seenAt, ts);
    }

    /// Whether it says anything about being seen in time: a session was told, and the time is over
    /// or was enough.
    boolean tellsOfSeeing(Duration inTime, Instant now) {
        return toldAt != null
                && sentAt != null
                && (isSeenWithin(inTime) || !now.isBefore(sentAt.plus(inTime)));
    }

    /// Whether a model saw it, or somebody took it, in this time.
    boolean isSeenWithin(Duration inTime) {
        return sentAt != null
                && (isBefore(seenAt, sentAt.plus(inTime))
                        || isBefore(takenAt, sentAt.plus(inTime)));
    }

    private static boolean isBefore(@Nullable Instant time, Instant end) {
        return time != null && time.isBefore(end);
    }

    void returned(Instant ts) {
        steps.add(new At(ts, Step.RETURNED));
    }

    void done(Instant ts, long attempt) {
        steps.add(new At(ts, Step.ENDED));
        done.add(new Done(ts, attempt));
    }

    void expired(Instant ts) {
        steps.add(new At(ts, Step.ENDED));
        expired = true;
    }

    /// It was no mail for this inbox, was there already, or failed too often.
    void rejected(Instant ts) {
        steps.add(new At(ts, Step.ENDED));
        rejected = true;
    }

    boolean isSentWithin(Instant since, Instant now) {
        return sentAt != null && !sentAt.isBefore(since) && !sentAt.isAfter(now);
    }

    /// How often it was done: more than once only if something went wrong. Who does not say in
    /// which attempt tells of the same end as who does.
    long effects(Instant since, Instant now) {
        long named = 0;
        long unnamed = 0;
        for (Done end : done) {
            if (!end.ts().isBefore(since) && !end.ts().isAfter(now)) {
                named += end.attempt() > 0 ? 1 : 0;
                unnamed = 1;
            }
        }
        return Math.max(named, unnamed);
    }

    /// From sent to first done; null if one of them is not known.
    @Nullable Duration latency() {
        if (sentAt == null || done.isEmpty()) {
            return null;
        }
        Duration latency = Duration.between(sentAt, firstDone());
        return latency.isNegative() ? Duration.ZERO : latency;
    }

    private Instant firstDone() {
        Instant first = Instant.MAX;
        for (Done end : done) {
            first = end.ts().isBefore(first) ? end.ts() : first;
        }
        return first;
    }

    /// Whether it still has an end before it.
    boolean isOpen(Instant now) {
        return done.isEmpty() && !expired && !rejected && (takenAt != null || !isOver(now));
    }

    /// Whether it says anything about delivery: it was taken, or its time is over.
    boolean isDecided(Instant now) {
        return takenAt != null || (!rejected && (expired || isOver(now)));
    }

    /// Whether it was taken in time.
    boolean isDelivered() {
        return takenAt != null
                && (sentAt == null || ttl == null || takenAt.isBefore(sentAt.plus(ttl)));
    }

    private boolean isOver(Instant now) {
        return sentAt != null && ttl != null && !now.isBefore(sentAt.plus(ttl));
    }

    /// Tells when it began to wait, and when it ceased to.
    void waits(Changes changes) {
        steps.sort(Comparator.comparing(At::ts).thenComparing(At::step));
        boolean waiting = false;
        boolean ended = false;
        for (At at : steps) {
            boolean now =
                    switch (at.step()) {
                        case SENT, RETURNED -> !ended;
                        case TAKEN, ENDED -> false;
                    };
            ended |= at.step() == Step.ENDED;
            if (now != waiting) {
                changes.add(at.ts(), now ? 1 : -1);
                waiting = now;
            }
        }
    }

    /// When it began to wait for the first time; null if it never did.
    @Nullable Instant firstWaited() {
        Instant[] first = {null};
        waits((at, change) -> first[0] = first[0] == null && change > 0 ? at : first[0]);
        return first[0];
    }

    /// When it came to its end; null if it has not.
    @Nullable Instant endedAt() {
        Instant first = null;
        for (At at : steps) {
            first = at.step() == Step.ENDED ? earlier(first, at.ts()) : first;
        }
        return first;
    }

    private static Instant earlier(@Nullable Instant known, Instant ts) {
        return known == null || ts.isBefore(known) ? ts : known;
    }
}
