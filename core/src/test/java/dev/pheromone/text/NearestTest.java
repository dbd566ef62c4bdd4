package dev.pheromone.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.List;

class NearestTest {

    private static final List<String> NAMES =
            List.of("code", "docs", "governance", "ops", "process");

    @Test
    void swappedMissingAndDoubledLettersAreForgiven() {
        assertThat(Nearest.to("cdoe", NAMES)).containsExactly("code");
        assertThat(Nearest.to("goverance", NAMES)).containsExactly("governance");
        assertThat(Nearest.to("opps", NAMES)).containsExactly("ops");
        assertThat(Nearest.to("CODE", NAMES)).containsExactly("code");
    }

    @Test
    void theBeginningOfANameIsEnough() {
        assertThat(Nearest.to("gov", NAMES)).containsExactly("governance");
    }

    @Test
    void theNearestComesFirstAndNotMoreThanThree() {
        assertThat(Nearest.to("abcdef", List.of("abcdxy", "abcdex", "abcdey", "abcdez")))
                .containsExactly("abcdex", "abcdey", "abcdez");
    }

    @Test
    void whatIsFarAwayIsNotSuggested() {
        assertThat(Nearest.to("zebra", NAMES)).isEmpty();
        assertThat(Nearest.to("", NAMES)).isEmpty();
        assertThat(Nearest.to("c".repeat(1_000_000), NAMES)).isEmpty();
    }

    @Test
    void distanceCountsASwapOnce() {
        assertThat(Nearest.distance("cdoe", "code")).isEqualTo(1);
        assertThat(Nearest.distance("", "code")).isEqualTo(4);
        assertThat(Nearest.distance("code", "code")).isZero();
    }
}
