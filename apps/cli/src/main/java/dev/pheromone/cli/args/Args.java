package dev.pheromone.cli.args;

import dev.pheromone.envelope.Ttl;

import org.jspecify.annotations.Nullable;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.TemporalAccessor;
import java.util.List;
import java.util.Map;

/// The options and operands of one command line, as [ArgsParser] understood them.
///
/// Asking for an option that the command does not declare is a mistake in the program, and fails as
/// one.
public final class Args {

    private static final int DATE_LENGTH = "2025-10-15".length();

    private final Map<String, Opt> declared;
    private final Map<String, List<String>> given;
    private final List<String> operands;

    Args(Map<String, Opt> declared, Map<String, List<String>> given, List<String> operands) {
        this.declared = declared;
        this.given = given;
        this.operands = List.copyOf(operands);
    }

    /// Whether the option was typed.
    public boolean has(String name) {
        declared(name);
        return given.containsKey(name);
    }

    /// The option's value as typed, else its declared fallback, else null.
    public @Nullable String value(String name) {
        List<String> values = given.get(name);
        return values == null ? declared(name).fallback() : values.getFirst();
    }

    /// Every value of a repeatable option, in the order typed.
    public List<String> values(String name) {
        declared(name);
        return given.getOrDefault(name, List.of());
    }

    public List<String> operands() {
        return operands;
    }

    /// The operand at `index`, from 0, or null if fewer were typed.
    public @Nullable String operand(int index) {
        return index < operands.size() ? operands.get(index) : null;
    }

    /// The option's value as a length of time, else null.
    public @Nullable Duration duration(String name) {
        String text = value(name);
        return text == null ? null : parseDuration(name, text);
    }

    /// The option's value as a point in time, else null: `24h` means that long before `now`, a date
    /// its first moment. What names no time zone is meant in `zone`.
    public @Nullable Instant moment(String name, Instant now, ZoneId zone) {
        String text = value(name);
        if (text == null) {
            return null;
        }
        try {
            if (text.indexOf('-') < 0) {
                return now.minus(Ttl.parseDuration(text));
            }
            if (text.length() == DATE_LENGTH) {
                return LocalDate.parse(text).atStartOfDay(zone).toInstant();
            }
            TemporalAccessor time =
                    DateTimeFormatter.ISO_DATE_TIME.parseBest(
                            text.replace(' ', 'T'), ZonedDateTime::from, LocalDateTime::from);
            return time instanceof LocalDateTime local
                    ? local.atZone(zone).toInstant()
                    : Instant.from(time);
        } catch (DateTimeException | IllegalArgumentException e) {
            throw bad(
                    name,
                    text,
                    "a duration such as 24h, a date such as 2025-10-15, or a time such as"
                            + " 2025-10-15T17:10 or 2025-10-15T17:10:00Z");
        }
    }

    /// The value of an option that has a fallback, as a whole number of `least` to `most`.
    public int count(String name, int least, int most) {
        String text = String.valueOf(value(name));
        try {
            int count = Integer.parseInt(text);
            if (count >= least && count <= most) {
                return count;
            }
        } catch (NumberFormatException e) {
            // Said below, with the range.
        }
        throw bad(name, text, "a whole number from " + least + " to " + most);
    }

    private Duration parseDuration(String name, String text) {
        try {
            Duration duration = Ttl.parseDuration(text);
            if (!duration.isNegative()) {
                return duration;
            }
        } catch (IllegalArgumentException e) {
            // Said below, with the option's name.
        }
        throw new UsageException(
                "--" + name + " " + text + ": expected a duration, for example 90s, 15m or 2d");
    }

    private static UsageException bad(String name, String found, String expected) {
        return new UsageException(
                "option --" + name + ": found \"" + found + "\", expected " + expected);
    }

    private Opt declared(String name) {
        Opt opt = declared.get(name);
        if (opt == null) {
            throw new IllegalArgumentException(
                    "option --" + name + " is not declared by this command");
        }
        return opt;
    }
}
