package dev.pheromone.selection;

import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Priority;
import dev.pheromone.envelope.Ttl;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;

/// What decides when a waiting envelope is taken: the pure part of selection, with no clock and no
/// files in it.
///
/// An envelope's weight halves with each half-life, which costs it one class; so does each failure.
/// `ts` is what the sender claims, `firstSeen` what we know: whoever dates mail back gains five
/// minutes at most, and mail from the future counts from when it was seen.
///
/// @param id breaks ties
/// @param notBefore the end of the pause after a failure, if it had one
public record Urgency(
        EnvelopeId id,
        Priority priority,
        Instant ts,
        Instant firstSeen,
        Duration ttl,
        Duration halfLife,
        int failures,
        @Nullable Instant notBefore) {

    /// How far before its arrival an envelope may be dated and still be believed.
    static final Duration BACKDATING_MAX = Duration.ofMinutes(5);

    /// Mail dated further ahead than this is refused: no clock is that wrong.
    public static final Duration AHEAD_MAX = Duration.ofHours(24);

    /// Each class is due a quarter of the ttl later than the one above it.
    private static final int QUARTERS = 4;

    private static final int LOWEST_CLASS = Priority.P3.ordinal();

    /// The rule by which the next envelope is chosen.
    public enum Turn {
        NORMAL,
        /// Every fourth pick or so: what is closest to being lost.
        DUE,
        /// While backpressure holds.
        DRAIN;

        /// The rule for the pick of this number, counted from 1, where every `dueTurn`th is a due
        /// turn.
        public static Turn of(long pickNumber, int dueTurn) {
            return pickNumber % dueTurn == 0 ? DUE : NORMAL;
        }

        /// This rule while backpressure holds.
        public Turn draining() {
            return this == NORMAL ? DRAIN : this;
        }
    }

    /// The order of picks of `turn`, at one moment.
    public static Comparator<Urgency> order(Turn turn, Instant now) {
        return switch (turn) {
            case NORMAL -> normalOrder(now);
            case DUE -> dueOrder();
            case DRAIN -> drainOrder();
        };
    }

    /// Normal selection: effective class, then age. Compares at one moment, so it is made for one.
    public static Comparator<Urgency> normalOrder(Instant now) {
        return Comparator.<Urgency>comparingInt(u -> u.effectiveClass(now))
                .thenComparing(oldestFirst());
    }

    /// Selection while backpressure holds: the class as sent, less failures, then age.
    public static Comparator<Urgency> drainOrder() {
        return Comparator.comparingInt(Urgency::drainClass).thenComparing(oldestFirst());
    }

    /// The order of the due turn: what is closest to being lost comes first.
    public static Comparator<Urgency> dueOrder() {
        return Comparator.comparing(Urgency::dueAt).thenComparing(Urgency::id);
    }

    /// First come, first served; ids break ties.
    public static Comparator<Urgency> oldestFirst() {
        return Comparator.comparing(Urgency::orderTime).thenComparing(Urgency::id);
    }

    /// The time from which age counts.
    public Instant orderTime() {
        return orderTimeOf(ts, firstSeen);
    }

    /// The time from which the age of an envelope counts that was first seen at `firstSeen`.
    public static Instant orderTimeOf(Instant ts, Instant firstSeen) {
        if (ts.isAfter(firstSeen)) {
            return firstSeen;
        }
        Instant earliest = firstSeen.minus(BACKDATING_MAX);
        return ts.isBefore(earliest) ? earliest : ts;
    }

    /// When its time is over.
    public Instant expiresAt() {
        return expiresAt(ts, firstSeen, ttl);
    }

    /// When an envelope's time is over: mail from the future has its `ttl` from when it was seen.
    public static Instant expiresAt(Instant ts, Instant firstSeen, Duration ttl) {
        return (ts.isAfter(firstSeen) ? firstSeen : ts).plus(ttl);
    }

    /// Whether its time is over at `now`.
    public boolean isExpired(Instant now) {
        return !now.isBefore(expiresAt());
    }

    /// Whether it was seen before it was sent, by its sender's clock.
    public boolean isFromTheFuture() {
        return ts.isAfter(firstSeen);
    }

    /// Whether `ts` is so far ahead that the envelope is refused.
    public boolean isAbsurd() {
        return isTooFarAhead(ts, firstSeen, AHEAD_MAX);
    }

    /// Whether mail with this `ts` is refused by whoever first saw it at `firstSeen`.
    public static boolean isTooFarAhead(Instant ts, Instant firstSeen, Duration aheadMax) {
        return ts.isAfter(firstSeen.plus(aheadMax));
    }

    /// Whether it is not paused at `now`.
    public boolean isReady(Instant now) {
        return notBefore == null || !now.isBefore(notBefore);
    }

    /// 0 for P0 to 3 for P3, after decay and failures.
    public int effectiveClass(Instant now) {
        // By steps, of which there are at most three: dividing durations takes long, and this is
        // asked for each of a hundred thousand.
        int effective = drainClass();
        Instant step = orderTime().plus(halfLife);
        while (effective < LOWEST_CLASS && !now.isBefore(step)) {
            effective++;
            step = step.plus(halfLife);
        }
        return effective;
    }

    int drainClass() {
        return Math.min(LOWEST_CLASS, priority.ordinal() + failures);
    }

    /// When the effective class next falls, or null if it is the lowest already.
    @Nullable Instant nextStepAt(Instant now) {
        Instant step = orderTime().plus(halfLife);
        for (int c = drainClass(); c < LOWEST_CLASS; c++) {
            if (now.isBefore(step)) {
                return step;
            }
            step = step.plus(halfLife);
        }
        return null;
    }

    /// w(t) = w0 · 2^(−age / half-life).
    public double weight(Instant now) {
        double age = Math.max(0, seconds(Duration.between(orderTime(), now)));
        return priority.weight() * Math.pow(2, -age / seconds(halfLife));
    }

    /// When it ought to have been taken: P0 in the first quarter of its life, P3 by its end.
    public Instant dueAt() {
        return orderTime().plusNanos(ttl.toNanos() / QUARTERS * (priority.ordinal() + 1));
    }

    /// Why this one, with the arithmetic: `P1, age 12m of 1h, w 2.3, effective P1, first of 4`.
    /// What the rule of this pick looks at beyond that is said too: when it was due, what it drains
    /// as.
    ///
    /// @param waiting how many there were to choose from, this one included
    public String rationale(Turn turn, int waiting, Instant now) {
        Duration age = Duration.between(orderTime(), now);
        long tenths = Math.round(weight(now) * 10);
        return priority
                + ", age "
                + Ttl.format(age.isNegative() ? Duration.ZERO : age)
                + " of "
                + Ttl.format(ttl)
                + (isFromTheFuture() ? " (dated ahead: counted from when it was seen)" : "")
                + ", w "
                + tenths / 10
                + "."
                + tenths % 10
                + ", effective P"
                + effectiveClass(now)
                + (failures == 0 ? "" : ", after " + failures + " failed")
                + switch (turn) {
                    case NORMAL -> "";
                    case DUE -> ", due turn, due " + due(now);
                    case DRAIN -> ", draining as P" + drainClass();
                }
                + ", first of "
                + waiting;
    }

    private String due(Instant now) {
        Duration left = Duration.between(now, dueAt());
        return left.isNegative() ? Ttl.format(left.negated()) + " ago" : "in " + Ttl.format(left);
    }

    private static double seconds(Duration duration) {
        return duration.toNanos() / 1e9;
    }
}
