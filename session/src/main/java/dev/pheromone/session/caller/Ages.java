package dev.pheromone.session.caller;

import java.time.Duration;
import java.time.Instant;

/// Times as people say them, in one unit and rounded to the nearest: a day that began a moment ago
/// is `1d` and not `23h`.
public final class Ages {

    /// One of a unit is said of what differs from it by at most this part of it; what is more than
    /// that and less than two is said in the next smaller unit: `90m`, not `2h`.
    private static final int ABOUT_ONE = 8;

    /// Each unit in seconds, and its letter; smaller ones first.
    private enum Unit {
        SECOND(1, "s"),
        MINUTE(60, "m"),
        HOUR(3_600, "h"),
        DAY(86_400, "d");

        private final long seconds;
        private final String opened;

        Unit(long seconds, String opened) {
            this.seconds = seconds;
            this.opened = opened;
        }

        long nearest(long length) {
            return (length + seconds / 2) / seconds;
        }

        /// Whether `length` is about one of this unit, or two and more.
        boolean fits(long length) {
            return length >= seconds
                    && (length >= 2 * seconds || length - seconds <= seconds / ABOUT_ONE);
        }
    }

    private Ages() {}

    /// `42s`, `3m`, `90m`, `7h`, `12d`; a negative length counts as none.
    public static String span(Duration length) {
        long seconds = Math.max(0, length.plusMillis(500).toSeconds());
        Unit said = Unit.SECOND;
        for (Unit unit : Unit.values()) {
            // Rounded in the unit below first, where 23h30m become 24h and so 1d.
            if (unit.fits(said.nearest(seconds) * said.seconds)) {
                said = unit;
            }
        }
        return said.nearest(seconds) + said.opened;
    }

    /// `3m ago`, `in 1d`, or `now` within a second of it.
    public static String relative(Instant then, Instant now) {
        Duration distance = Duration.between(now, then);
        if (distance.abs().toSeconds() == 0) {
            return "now";
        }
        return distance.isNegative() ? span(distance.negated()) + " ago" : "in " + span(distance);
    }
}
