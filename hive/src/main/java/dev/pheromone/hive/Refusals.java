package dev.pheromone.hive;

import dev.pheromone.envelope.EnvelopeId;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.Set;

/// What a bridge may not carry on one of its routes, and when it tries each again: more and more
/// seldom. As long as they are few, they are free for others meanwhile.
final class Refusals {

    private static final Duration AGAIN_MIN = Duration.ofMinutes(1);

    /// How long at most: what is configured may change, but each try leaves lines in the log.
    private static final Duration AGAIN_MAX = Duration.ofHours(1);

    /// How long one that is in the way of others is put aside at first.
    private static final Duration ASIDE_MIN = Duration.ofSeconds(5);

    /// So many may be in the way of new mail, and be claimed and given back for it.
    private static final int FEW_MAX = 16;

    /// Of how many it is known how often they were refused.
    private static final int KNOWN_MAX = 10_000;

    /// @param pause how long it is not tried again
    /// @param aside how long it was put aside last
    private record Refusal(Duration pause, Instant againAt, Duration aside) {}

    /// The longest known first.
    private final SequencedMap<EnvelopeId, Refusal> known = new LinkedHashMap<>();

    /// Whether there are some, and few enough to look at what waits before anything is taken.
    synchronized boolean areFew() {
        return !known.isEmpty() && known.size() <= FEW_MAX;
    }

    /// Adds one that was refused now, and returns for how long nobody is to get it.
    synchronized Duration add(EnvelopeId id, Instant now) {
        Refusal before = known.get(id);
        // What was not met again since its time came is somebody else's by now.
        known.values().removeIf(refusal -> refusal.againAt().plus(AGAIN_MAX).isBefore(now));
        Duration pause = before == null ? AGAIN_MIN : twice(before.pause());
        if (before == null && known.size() == KNOWN_MAX) {
            known.pollFirstEntry();
        }
        known.put(id, new Refusal(pause, now.plus(pause), Duration.ZERO));
        return areFew() ? Duration.ZERO : pause;
    }

    /// Whether it was refused, and it is too early to try again.
    synchronized boolean isLeftAlone(EnvelopeId id, Instant now) {
        Refusal refusal = known.get(id);
        return refusal != null && now.isBefore(refusal.againAt());
    }

    /// For how long nobody is to get one that is left alone and stands before others: a moment, and
    /// longer each time.
    synchronized Duration putAside(EnvelopeId id, Instant now) {
        Refusal refusal = known.get(id);
        if (refusal == null) {
            return Duration.ZERO;
        }
        Duration left = Duration.between(now, refusal.againAt());
        Duration longer = refusal.aside().isZero() ? ASIDE_MIN : twice(refusal.aside());
        Duration aside = areFew() && longer.compareTo(left) < 0 ? longer : left;
        known.put(id, new Refusal(refusal.pause(), refusal.againAt(), aside));
        return aside;
    }

    synchronized void forget(EnvelopeId id) {
        known.remove(id);
    }

    /// Forgets those that wait no more.
    synchronized void keepOnly(Set<EnvelopeId> waiting) {
        known.keySet().retainAll(waiting);
    }

    private static Duration twice(Duration pause) {
        Duration next = pause.multipliedBy(2);
        return next.compareTo(AGAIN_MAX) > 0 ? AGAIN_MAX : next;
    }
}
