package dev.pheromone;

import java.time.Duration;
import java.time.format.DateTimeParseException;

/// How long an envelope is worth delivering: `90s`, `15m`, `1h30m`, `2d`, or ISO-8601 such as
/// `PT1H`.
///
/// More than zero and at most 30 days. Keeps the text it was read from, so that writing it again
/// changes nothing.
public record Ttl(String text, Duration duration) {

    private static final Duration MAX = Duration.ofDays(30);
    private static final String UNITS = "dhms";
    private static final long[] UNIT_SECONDS = {86_400, 3_600, 60, 1};
    private static final int LENGTH_MAX = 32;
    private static final String ISO_CHARACTERS = "PTDHMS0123456789";

    public Ttl {
        if (duration.isNegative() || duration.isZero() || duration.compareTo(MAX) > 0) {
            throw new IllegalArgumentException(
                    "ttl: found \"" + text + "\", expected more than 0 and at most 30d");
        }
    }

    public static Ttl parse(String text) {
        return new Ttl(text, parseDuration(text));
    }

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
        long seconds = 0;
        long count = -1;
        int lastUnit = -1;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= '0' && c <= '9') {
                count = Math.max(count, 0) * 10 + (c - '0');
                if (count > MAX.toSeconds() * 10) {
                    throw bad(text);
                }
            } else {
                int unit = UNITS.indexOf(c);
                if (unit <= lastUnit || count < 0) {
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
        return Duration.ofSeconds(seconds);
    }

    private static Duration parseIso(String text) {
        // The platform's reader also takes signs, fractions and small letters.
        if (!text.chars().allMatch(c -> ISO_CHARACTERS.indexOf(c) >= 0)) {
            throw bad(text);
        }
        try {
            return Duration.parse(text);
        } catch (DateTimeParseException | ArithmeticException e) {
            throw bad(text);
        }
    }

    private static IllegalArgumentException bad(String text) {
        String shown = text.length() > LENGTH_MAX ? text.substring(0, LENGTH_MAX) + "…" : text;
        return new IllegalArgumentException(
                "duration: found \"" + shown + "\", expected such as 90s, 15m, 1h30m, 2d or PT1H");
    }

    @Override
    public String toString() {
        return text;
    }
}
