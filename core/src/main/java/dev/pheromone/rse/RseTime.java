package dev.pheromone.rse;

import dev.pheromone.text.IsoTime;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.time.temporal.TemporalAccessor;
import java.util.Locale;
import java.util.Optional;

/// The time of an event as text: written as UTC with milliseconds and `Z`, read in the many forms
/// that others write.
final class RseTime {

    /// The years 0000 to 9999: all that four digits can write.
    private static final Instant FIRST = Instant.ofEpochSecond(-62_167_219_200L);

    private static final Instant LAST = Instant.ofEpochSecond(253_402_300_799L, 999_999_999);
    private static final int SECONDS_PER_DAY = 86_400;
    private static final int TEXT_LENGTH_MAX = 64;

    /// Above this a bare number counts milliseconds, below it seconds: as seconds it would be the
    /// year 5138.
    private static final double MILLIS_MIN = 1e11;

    private RseTime() {}

    /// Fails for a year that has not four digits.
    static void check(Instant ts) {
        if (ts.isBefore(FIRST) || ts.isAfter(LAST)) {
            throw new IllegalArgumentException(
                    "ts: found " + ts + ", expected a year from 0000 to 9999");
        }
    }

    /// `2025-10-15T17:10:00.000Z`. By hand: a formatter takes longer than writing the line.
    static String format(Instant ts) {
        long seconds = ts.getEpochSecond();
        LocalDate day = LocalDate.ofEpochDay(Math.floorDiv(seconds, SECONDS_PER_DAY));
        int second = (int) Math.floorMod(seconds, (long) SECONDS_PER_DAY);
        var text = new byte[24];
        digits(text, 0, day.getYear(), 4);
        text[4] = '-';
        digits(text, 5, day.getMonthValue(), 2);
        text[7] = '-';
        digits(text, 8, day.getDayOfMonth(), 2);
        text[10] = 'T';
        digits(text, 11, second / 3600, 2);
        text[13] = ':';
        digits(text, 14, second / 60 % 60, 2);
        text[16] = ':';
        digits(text, 17, second % 60, 2);
        text[19] = '.';
        digits(text, 20, ts.getNano() / 1_000_000, 3);
        text[23] = 'Z';
        return new String(text, StandardCharsets.ISO_8859_1);
    }

    private static void digits(byte[] text, int from, int value, int count) {
        int rest = value;
        for (int i = from + count - 1; i >= from; i--) {
            text[i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
    }

    /// The time that `text` says; without a zone it is UTC. Empty for what is no time.
    static Optional<Instant> parse(String text) {
        String trimmed = text.strip();
        if (trimmed.isEmpty() || trimmed.length() > TEXT_LENGTH_MAX) {
            return Optional.empty();
        }
        try {
            return inRange(IsoTime.parse(trimmed));
        } catch (IllegalArgumentException odd) {
            return parseOdd(trimmed);
        }
    }

    private static Optional<Instant> parseOdd(String text) {
        try {
            TemporalAccessor time =
                    Forms.TOLERANT.parseBest(
                            text, OffsetDateTime::from, LocalDateTime::from, LocalDate::from);
            return inRange(
                    switch (time) {
                        case OffsetDateTime withZone -> withZone.toInstant();
                        case LocalDateTime noZone -> noZone.toInstant(ZoneOffset.UTC);
                        case LocalDate day -> day.atStartOfDay().toInstant(ZoneOffset.UTC);
                        default ->
                                throw new IllegalStateException(
                                        "not asked for: " + time.getClass());
                    });
        } catch (DateTimeException | ArithmeticException notATime) {
            return Optional.empty();
        }
    }

    /// The time that a bare number says: seconds, or milliseconds, since 1970.
    static Optional<Instant> ofNumber(double number) {
        double millis = Math.abs(number) < MILLIS_MIN ? number * 1_000 : number;
        boolean plausible = Math.abs(millis) < LAST.toEpochMilli();
        return plausible ? inRange(Instant.ofEpochMilli((long) millis)) : Optional.empty();
    }

    private static Optional<Instant> inRange(Instant time) {
        return time.isBefore(FIRST) || time.isAfter(LAST) ? Optional.empty() : Optional.of(time);
    }

    /// Made for the first odd time: whoever writes, or reads what we write, never needs it.
    private static final class Forms {

        /// ISO-8601 with `T` or a space, 0 to 9 fractional digits, and an offset (`Z`, `+02:00`,
        /// `+0200`, `+02`) or none.
        static final DateTimeFormatter TOLERANT =
                new DateTimeFormatterBuilder()
                        .parseCaseInsensitive()
                        .appendPattern("uuuu-MM-dd")
                        .optionalStart()
                        .appendPattern("['T'][ ]HH:mm")
                        .optionalStart()
                        .appendPattern(":ss")
                        .optionalStart()
                        .appendFraction(ChronoField.NANO_OF_SECOND, 1, 9, true)
                        .optionalEnd()
                        .optionalEnd()
                        .appendPattern("[ ][XXX][XX][X]")
                        .optionalEnd()
                        .toFormatter(Locale.ROOT);
    }
}
