package dev.pheromone.life;

import dev.pheromone.HiveConfig;
import dev.pheromone.selection.Urgency;

import java.time.Duration;
import java.time.Instant;

/// How often a copy is tried, how long it pauses in between, and how far ahead it may be dated.
///
/// @param pauseBase doubled with each failure, the first included, it is the pause before the next
///   attempt
/// @param pauseMax the longest pause after a failure
/// @param attemptsMax after this many failed attempts a copy is dead
/// @param aheadMax a copy dated further ahead than this is refused: no clock is that wrong
public record LifeLimits(
        Duration pauseBase, Duration pauseMax, int attemptsMax, Duration aheadMax) {

    public LifeLimits {
        if (!pauseBase.isPositive() || pauseMax.compareTo(pauseBase) < 0) {
            throw new IllegalArgumentException(
                    "pauses: found %s to %s, expected a first one above zero and a longest one that is no shorter"
                            .formatted(pauseBase, pauseMax));
        }
        if (attemptsMax < 1) {
            throw new IllegalArgumentException(
                    "attempts: found " + attemptsMax + ", expected at least 1");
        }
    }

    /// The limits of the protocol.
    public static LifeLimits defaults() {
        return of(HiveConfig.defaults());
    }

    /// The limits of a hive: its own number of attempts, and for the rest those of the protocol.
    public static LifeLimits of(HiveConfig config) {
        return new LifeLimits(
                Duration.ofSeconds(5),
                Duration.ofMinutes(10),
                config.attempts(),
                Urgency.AHEAD_MAX);
    }

    /// The pause before a copy that failed `failures` times is tried again.
    public Duration pauseAfter(int failures) {
        Duration pause = pauseBase;
        for (int i = 0; i < failures && pause.compareTo(pauseMax) < 0; i++) {
            pause = pause.multipliedBy(2);
        }
        return pause.compareTo(pauseMax) > 0 ? pauseMax : pause;
    }

    /// Whether a copy whose attempt of this number fails is dead.
    public boolean isLast(int attempt) {
        return attempt >= attemptsMax;
    }

    /// Whether a copy with this `ts` is refused by whoever first saw it at `firstSeen`.
    public boolean isTooFarAhead(Instant ts, Instant firstSeen) {
        return Urgency.isTooFarAhead(ts, firstSeen, aheadMax);
    }
}
