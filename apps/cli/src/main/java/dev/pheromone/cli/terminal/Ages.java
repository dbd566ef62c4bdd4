package dev.pheromone.cli.terminal;

import java.time.Duration;
import java.time.Instant;

/// Times as people say them: the largest unit that fits, rounded down.
public final class Ages {

    private Ages() {}

    /// `42s`, `3m`, `7h`, `12d`; a negative length counts as none.
    public static String span(Duration length) {
        long seconds = Math.max(0, length.toSeconds());
        if (seconds < 60) {
            return seconds + "s";
        }
        if (seconds < 3_600) {
            return seconds / 60 + "m";
        }
        return seconds < 86_400 ? seconds / 3_600 + "h" : seconds / 86_400 + "d";
    }

    /// `3m ago`, `in 23h`, or `now` within a second of it.
    public static String relative(Instant then, Instant now) {
        Duration distance = Duration.between(now, then);
        if (distance.abs().toSeconds() == 0) {
            return "now";
        }
        return distance.isNegative() ? span(distance.negated()) + " ago" : "in " + left(distance);
    }

    /// What is left of a time that was whole a moment ago: a begun second counts, so that a day is
    /// not 23 hours from the start.
    public static String left(Duration length) {
        return span(length.plusMillis(999));
    }
}
