package dev.pheromone;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;

/// Times as envelopes write them: `2025-10-15T17:12:03Z`, with up to nine fractional digits, and
/// any offset.
public final class IsoTime {

    private static final String EXPECTED = "expected a time such as 2025-10-15T17:12:03Z";
    private static final int FRACTION_DIGITS_MAX = 9;
    private static final int SHOWN_MAX = 40;

    private final String text;
    private int at;

    private IsoTime(String text) {
        this.text = text;
    }

    public static Instant parse(String text) {
        return new IsoTime(text).read();
    }

    /// `time` in UTC, to the millisecond, without a fraction if that is zero.
    public static String format(Instant time) {
        return time.truncatedTo(ChronoUnit.MILLIS).toString();
    }

    private Instant read() {
        int year = number(4);
        skip('-');
        int month = number(2);
        skip('-');
        int day = number(2);
        skip('T');
        int hour = number(2);
        skip(':');
        int minute = number(2);
        skip(':');
        int second = number(2);
        int nano = fraction();
        long offset = offsetSeconds();
        if (at != text.length()) {
            throw bad();
        }
        try {
            LocalDateTime local = LocalDateTime.of(year, month, day, hour, minute, second, nano);
            return Instant.ofEpochSecond(local.toEpochSecond(ZoneOffset.UTC) - offset, nano);
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
        int hours = number(2);
        skip(':');
        int minutes = number(2);
        if (hours > 23 || minutes > 59) {
            throw bad();
        }
        int seconds = (hours * 60 + minutes) * 60;
        return sign == '+' ? seconds : -seconds;
    }

    private int number(int digits) {
        int value = 0;
        for (int i = 0; i < digits; i++, at++) {
            if (!isDigit(peek())) {
                throw bad();
            }
            value = value * 10 + (peek() - '0');
        }
        return value;
    }

    private void skip(char expected) {
        if (peek() != expected) {
            throw bad();
        }
        at++;
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
