package dev.pheromone.envelope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.SplittableRandom;

class TtlTest {

    /// Without signs, fractions and small letters, which the platform takes and the protocol does
    /// not.
    private static final String ISO_CHARACTERS = "PTTDHMS0123456789";

    private static final int ACCEPTED_MIN = 500;

    @Test
    void isoDurationsAreThoseOfThePlatform() {
        SplittableRandom random = new SplittableRandom(11);
        int accepted = 0;
        for (int run = 0; run < 200_000; run++) {
            StringBuilder text = new StringBuilder(random.nextInt(3) == 0 ? "P" : "PT");
            for (int length = random.nextInt(6); length > 0; length--) {
                text.append(ISO_CHARACTERS.charAt(random.nextInt(ISO_CHARACTERS.length())));
            }
            accepted += agrees(text.toString()) ? 1 : 0;
        }
        assertThat(accepted).isGreaterThan(ACCEPTED_MIN);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "P",
                "PT",
                "P1DT",
                "P1D",
                "P1DT2H3M4S",
                "PT1H1H",
                "PT1M1H",
                "PT1D",
                "P1H",
                "PT0S",
                "PT007M",
                "PT9223372036854775807S",
                "PT9223372036854775808S",
                "P106751991167300DT15H30M7S",
                "P106751991167300DT15H30M8S",
                "P106751991167301D",
                "PT99999999999999999999999999S"
            })
    void theEdgesAreThoseOfThePlatformToo(String text) {
        agrees(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"-", "P-", "PT-", "1-", "P1W", "PT1.5S", "PT-1S", "pt1h", "1h1h", "1m1h"})
    void whatTheProtocolDoesNotKnowIsRefused(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Ttl.parseDuration(text))
                .withMessageContaining(text);
    }

    private static boolean agrees(String text) {
        Optional<Duration> expected;
        try {
            expected = Optional.of(Duration.parse(text));
        } catch (DateTimeParseException e) {
            expected = Optional.empty();
        }
        Optional<Duration> found;
        try {
            found = Optional.of(Ttl.parseDuration(text));
        } catch (IllegalArgumentException e) {
            found = Optional.empty();
        }
        assertThat(found).as(text).isEqualTo(expected);
        return found.isPresent();
    }
}
