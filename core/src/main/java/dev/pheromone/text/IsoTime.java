package dev.pheromone.text;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;

/// Times as envelopes write them: `2025-10-15T17:12:03Z`, with up to nine fractional digits, and
/// any offset.
public final class IsoTime {

    private static final String EXPECTED = "expected a time such as 2025-10-15T17:12:03Z";
    private static final int FRACTION_DIGITS_MAX = 9;
    private static final int SHOWN_MAX = 40;
    private static final int DATE_AND_TIME_LENGTH = "2025-10-15T17:12:03".length();
    private static final long SECONDS_A_DAY = 86_400;

    private final String text;
    private int at;

    private IsoTime(String text) {
        this.text = text;
    }

    /// Reads a time with its zone; fails on anything else.
    public static Instant parse(String text) {
        return new IsoTime(text).read();
    }

    /// `time` in UTC, to the millisecond, without a fraction if that is zero.
    public static String format(Instant time) {
        return time.truncatedTo(ChronoUnit.MILLIS).toString();
    }

    private Instant read() {
        boolean isShaped =
                text.length() > DATE_AND_TIME_LENGTH
                        && text.charAt(4) == '-'
                        && text.charAt(7) == '-'
                        && text.charAt(10) == 'T'
                        && text.charAt(13) == ':'
                        && text.charAt(16) == ':';
        if (!isShaped) {
            throw bad();
        }
        int year = number(0) * 100 + number(2);
        int month = number(5);
        int day = number(8);
        int hour = number(11);
        int minute = number(14);
        int second = number(17);
        if (hour > 23 || minute > 59 || second > 59) {
            throw bad();
        }
        at = DATE_AND_TIME_LENGTH;
        int nano = fraction();
        long offset = offsetSeconds();
        if (at != text.length()) {
            throw bad();
        }
        try {
            long days = LocalDate.of(year, month, day).toEpochDay();
            long seconds = days * SECONDS_A_DAY + (hour * 60 + minute) * 60L + second;
            return Instant.ofEpochSecond(seconds - offset, nano);
        } catch (DateTimeException e) {
            throw bad();
        }
    }

    private int fraction() {
        if (peek() != '.') {
            return 0;
        }
        at++;
        int nano = 0;
        int digits = 0;
        for (; isDigit(peek()); at++, digits++) {
            if (digits < FRACTION_DIGITS_MAX) {
                nano = nano * 10 + (peek() - '0');
            }
        }
        if (digits == 0 || digits > FRACTION_DIGITS_MAX) {
            throw bad();
        }
        for (int i = digits; i < FRACTION_DIGITS_MAX; i++) {
            nano *= 10;
        }
        return nano;
    }

    private long offsetSeconds() {
        char sign = peek();
        at++;
        if (sign == 'Z') {
            return 0;
        }
        if (sign != '+' && sign != '-') {
            throw bad();
        }
        if (at + "00:00".length() > text.length() || text.charAt(at + 2) != ':') {
            throw bad();
        }
        int hours = number(at);
        int minutes = number(at + 3);
        at += "00:00".length();
        if (hours > 23 || minutes > 59) {
            throw bad();
        }
        int seconds = (hours * 60 + minutes) * 60;
        return sign == '+' ? seconds : -seconds;
    }

    /// The two digits at `from`.
    private int number(int from) {
        char tens = text.charAt(from);
        char ones = text.charAt(from + 1);
        if (!isDigit(tens) || !isDigit(ones)) {
            throw bad();
        }
        return (tens - '0') * 10 + (ones - '0');
    }

    private char peek() {
        return at < text.length() ? text.charAt(at) : '\0';
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private IllegalArgumentException bad() {
        String shown = text.length() > SHOWN_MAX ? text.substring(0, SHOWN_MAX) + "…" : text;
        return new IllegalArgumentException("found \"" + shown + "\", " + EXPECTED);
    }
}
