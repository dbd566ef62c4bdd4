package dev.pheromone.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.time.temporal.ChronoField;
import java.util.Optional;
import java.util.SplittableRandom;

class IsoTimeTest {

    /// Times as the protocol writes them, read by the platform.
    private static final DateTimeFormatter PEER =
            new DateTimeFormatterBuilder()
                    .appendValue(ChronoField.YEAR, 4)
                    .appendPattern("-MM-dd'T'HH:mm:ss")
                    .optionalStart()
                    .appendFraction(ChronoField.NANO_OF_SECOND, 1, 9, true)
                    .optionalEnd()
                    .appendOffset("+HH:MM", "Z")
                    .toFormatter()
                    .withResolverStyle(ResolverStyle.STRICT);

    private static final String CHARACTERS = "0123456789-+:.TZ ";
    private static final int RUNS = 100_000;

    /// The platform's offsets end at 18 hours, ours at a day: both are beyond any on earth.
    @Test
    void timesAreThoseOfThePlatform() {
        SplittableRandom random = new SplittableRandom(3);
        int accepted = 0;
        for (int run = 0; run < RUNS; run++) {
            String text = changed(written(random), random);
            Optional<Instant> expected = peer(text);
            Optional<Instant> found = ours(text);
            if (found.isEmpty() || !isFarOffset(text)) {
                assertThat(found).as(text).isEqualTo(expected);
            }
            accepted += found.isPresent() ? 1 : 0;
        }
        assertThat(accepted).isBetween(RUNS / 4, RUNS - RUNS / 4);
    }

    private static String written(SplittableRandom random) {
        Instant time =
                Instant.ofEpochSecond(
                        random.nextLong(-60_000_000_000L, 250_000_000_000L),
                        random.nextInt(3) * 123_456_789L % 1_000_000_000);
        ZoneOffset offset = ZoneOffset.ofHoursMinutes(random.nextInt(3), random.nextInt(60));
        return PEER.format(time.atOffset(offset)).replace(".0+", "+").replace(".0Z", "Z");
    }

    private static String changed(String text, SplittableRandom random) {
        if (random.nextBoolean()) {
            return text;
        }
        StringBuilder changed = new StringBuilder(text);
        int place = random.nextInt(text.length());
        char character = CHARACTERS.charAt(random.nextInt(CHARACTERS.length()));
        switch (random.nextInt(3)) {
            case 0 -> changed.setCharAt(place, character);
            case 1 -> changed.insert(place, character);
            default -> changed.setLength(place);
        }
        return changed.toString();
    }

    private static boolean isFarOffset(String text) {
        int sign = Math.max(text.lastIndexOf('+'), text.lastIndexOf('-'));
        return sign > 0 && text.substring(sign + 1).compareTo("18:00") > 0;
    }

    private static Optional<Instant> peer(String text) {
        try {
            return Optional.of(OffsetDateTime.parse(text, PEER).toInstant());
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    private static Optional<Instant> ours(String text) {
        try {
            return Optional.of(IsoTime.parse(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
