package dev.pheromone.hooks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;

class OverlapTest {
    private static Shape glob(String text) {
        return Shape.of(text).withWildcards();
    }

    @ParameterizedTest
    @CsvSource({
        "a, a, true",
        "a, b, false",
        "a*, ab, true",
        "*b, a*, true",
        "a*c, ab*, true",
        "a*c, b*, false",
        "a/*, a/b/c, false",
        "a/**, a/b/c, true",
        "**/x, a/*/x, true",
        "?, /, false",
        "*, .hidden, false",
        ".*, .hidden, true",
        "a/*, a/.hidden, false",
        "a*, a.b, true",
        "Secret, sECRET, true",
        "[ab]x, bx, true",
        "*.md, *.txt, false",
        "s*t, *e*, true"
    })
    void holdsIfSomeTextFitsBoth(String a, String b, boolean expected) {
        assertThat(Overlap.of(glob(a), glob(b))).isEqualTo(expected);
        assertThat(Overlap.of(glob(b), glob(a))).isEqualTo(expected);
    }

    @Test
    void letsComposedAndDecomposedLettersBeEqual() {
        assertThat(Overlap.of(Shape.of("caf\u00e9"), Shape.of("cafe\u0301"))).isTrue();
    }

    @Test
    void isQuickWithManyWildcards() {
        Shape stars = glob("*a".repeat(1_000));
        Shape letters = Shape.of("a".repeat(2_000) + "b");

        assertTimeoutPreemptively(
                Duration.ofSeconds(10), () -> assertThat(Overlap.of(stars, letters)).isFalse());
    }
}
