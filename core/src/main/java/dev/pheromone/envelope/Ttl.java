package dev.pheromone.envelope;

import java.time.Duration;

/// How long an envelope is worth delivering: `90s`, `15m`, `1h30m`, `2d`, or ISO-8601 such as
/// `PT1H`.
///
/// More than zero and at most 30 days. Keeps the text it was read from, so that writing it again
/// changes nothing.
public record Ttl(String text, Duration duration) {

    /// The longest life of an envelope.
    public static final Duration MAX = Duration.ofDays(30);

    private static final String UNITS = "dhms";
    private static final long[] UNIT_SECONDS = {86_400, 3_600, 60, 1};
    private static final int LENGTH_MAX = 32;

    /// In place of a unit that a part of the text may not have.
    private static final char NO_UNIT = '-';

    private static final String ISO_DAYS = "D";
    private static final String ISO_TIMES = NO_UNIT + "HMS";

    /// Of one unit in our form; far above what any unit may have, far below an overflow.
    private static final long COUNT_MAX = MAX.toSeconds() * 10;

    public Ttl {
        if (duration.isNegative() || duration.isZero() || duration.compareTo(MAX) > 0) {
            throw new IllegalArgumentException(
                    "ttl: found \"" + text + "\", expected more than 0 and at most 30d");
        }
    }

    /// Reads what a header says, such as `90s` or `7d`; fails on anything else.
    public static Ttl parse(String text) {
        return new Ttl(text, parseDuration(text));
    }

    /// A time to live of this length.
    public static Ttl of(Duration duration) {
        return new Ttl(format(duration), duration);
    }

    /// The time that `text` says, in our form (units in falling order, each at most once) or
    /// ISO-8601.
    public static Duration parseDuration(String text) {
        if (text.length() > LENGTH_MAX) {
            throw bad(text);
        }
        return text.startsWith("P") ? parseIso(text) : parseUnits(text);
    }

    /// `duration` in whole seconds, in our form: `1h30m`.
    public static String format(Duration duration) {
        long seconds = duration.toSeconds();
        StringBuilder text = new StringBuilder();
        for (int unit = 0; unit < UNITS.length(); unit++) {
            long count = seconds / UNIT_SECONDS[unit];
            seconds %= UNIT_SECONDS[unit];
            if (count > 0) {
                text.append(count).append(UNITS.charAt(unit));
            }
        }
        return text.isEmpty() ? "0s" : text.toString();
    }

    private static Duration parseUnits(String text) {
        return Duration.ofSeconds(seconds(text, 0, text.length(), UNITS, COUNT_MAX));
    }

    /// Days before the `T`, the rest behind it; what stands there is not empty. The platform's own
    /// reader also takes signs, fractions and small letters, and is slow.
    private static Duration parseIso(String text) {
        int time = text.indexOf('T');
        int daysEnd = time < 0 ? text.length() : time;
        long seconds = time == 1 ? 0 : seconds(text, 1, daysEnd, ISO_DAYS, Long.MAX_VALUE);
        if (time >= 0) {
            long rest = seconds(text, time + 1, text.length(), ISO_TIMES, Long.MAX_VALUE);
            if (seconds > Long.MAX_VALUE - rest) {
                throw bad(text);
            }
            seconds += rest;
        }
        return Duration.ofSeconds(seconds);
    }

    /// The sum of what stands between `from` and `to`: counts, each with its unit, at least one.
    ///
    /// @param units where each letter stands at the place of its length in [#UNIT_SECONDS]
    private static long seconds(String text, int from, int to, String units, long countMax) {
        long seconds = 0;
        long count = -1;
        int lastUnit = -1;
        for (int i = from; i < to; i++) {
            char c = text.charAt(i);
            if (c >= '0' && c <= '9') {
                count = Math.max(count, 0);
                if (count > (countMax - (c - '0')) / 10) {
                    throw bad(text);
                }
                count = count * 10 + (c - '0');
            } else {
                int unit = c == NO_UNIT ? -1 : units.indexOf(c);
                if (unit <= lastUnit
                        || count < 0
                        || count > (Long.MAX_VALUE - seconds) / UNIT_SECONDS[unit]) {
                    throw bad(text);
                }
                seconds += count * UNIT_SECONDS[unit];
                lastUnit = unit;
                count = -1;
            }
        }
        if (lastUnit < 0 || count >= 0) {
            throw bad(text);
        }
        return seconds;
    }

    private static IllegalArgumentException bad(String text) {
        String shown = text.length() > LENGTH_MAX ? text.substring(0, LENGTH_MAX) + "…" : text;
        return new IllegalArgumentException(
                "duration: found \""
                        + shown
                        + "\", expected a duration, for example 90s, 15m, 1h30m, 2d or PT1H");
    }

    @Override
    public String toString() {
        return text;
    }
}
