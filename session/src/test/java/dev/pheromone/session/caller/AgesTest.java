package dev.pheromone.session.caller;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.time.Instant;

class AgesTest {

    @ParameterizedTest
    @CsvSource({
        "0, 0s",
        "59, 59s",
        "60, 1m",
        "67, 1m",
        "90, 90s",
        "120, 2m",
        "3540, 59m",
        "3569, 59m",
        "3570, 1h",
        "3600, 1h",
        "5400, 90m",
        "7200, 2h",
        "8999, 2h",
        "9000, 3h",
        "84599, 23h",
        "84600, 1d",
        "86399, 1d",
        "86400, 1d",
        "129600, 36h",
        "604799, 7d",
        "8640000, 100d",
        "-5, 0s"
    })
    void theNearestOfTheLargestUnitThatFits(long seconds, String said) {
        assertThat(Ages.span(Duration.ofSeconds(seconds))).isEqualTo(said);
    }

    @Test
    void pastAndFuture() {
        Instant now = Instant.parse("2025-10-15T17:10:00Z");
        assertThat(Ages.relative(now.minusSeconds(180), now)).isEqualTo("3m ago");
        assertThat(Ages.relative(now.plusSeconds(86_399), now)).isEqualTo("in 1d");
        assertThat(Ages.relative(now.plusMillis(86_399_500), now)).isEqualTo("in 1d");
        assertThat(Ages.relative(now.plusMillis(119_700), now)).isEqualTo("in 2m");
        assertThat(Ages.relative(now.plusMillis(300), now)).isEqualTo("now");
        assertThat(Ages.relative(now.minusMillis(999), now)).isEqualTo("now");
    }
}
