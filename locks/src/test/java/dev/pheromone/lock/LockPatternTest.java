package dev.pheromone.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// What a pattern of a lock list covers.
final class LockPatternTest {

    private static boolean covers(String pattern, String path) {
        return LockPattern.parse(pattern).covers(names(path));
    }

    private static List<String> names(String path) {
        return path.isEmpty() ? List.of() : List.of(path.split("/"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "secret.txt           | secret.txt",
                "./secret.txt         | secret.txt",
                "a/../secret.txt      | secret.txt",
                "secrets              | secrets/deep/down/key",
                "secrets/             | secrets/key",
                "secrets/*            | secrets/.hidden",
                "secrets/**           | secrets/a/b/c",
                "secrets/**           | secrets",
                "**                   | anything/at/all",
                ".                    | anything",
                "**/*.pem             | top.pem",
                "**/*.pem             | a/b/deep.pem",
                "**/*.pem             | a/b/deep.pem/inside",
                "a/**/z               | a/z",
                "a/**/z               | a/b/c/z",
                "a/**/b/**/z          | a/x/b/y/y/z",
                "*.{key,pem}          | x.pem",
                "{a,b/{c,d}}/e        | b/d/e",
                "file?.txt            | fileß.txt",
                "file[0-9].txt        | file7.txt",
                "file[!0-9].txt       | filex.txt",
                "file[^0-9].txt       | filex.txt",
                "file[]x].txt         | file].txt",
                "'\\*literal'         | '*literal'",
                "'\\{literal\\}'      | '{literal}'",
                "\\!secret            | !secret",
                "a/!b                 | a/!b",
                "~                    | ~",
                "a*b*c                | aXXbYYbZZc",
                "a**c                 | aXXc",
                "a**c                 | aX/deep/Yc",
                "**.pem               | deep/down/x.pem",
                "src/**               | src/x/../y",
                "?                    | 🐜",
            })
    void coversWhatItSays(String pattern, String path) {
        assertThat(covers(pattern, path)).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "secret.txt     | other.txt",
                "secret.txt     | deep/secret.txt",
                "secret.txt     | secret.txt2",
                "secrets/*      | secrets",
                "*.pem          | deep/x.pem",
                "a/**/z         | a/b/c",
                "a?c            | a/c",
                "a*c            | a/c",
                "file[0-9].txt  | filex.txt",
                "'\\*'          | x",
                "*.{key,pem}    | x.txt",
                "Secret.txt     | secret.txt",
            })
    void doesNotCover(String pattern, String path) {
        assertThat(covers(pattern, path)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "  ",
                "../outside",
                "a/../../b",
                "open[",
                "{a,b",
                "end\\",
                "/etc/passwd",
                "/secret.txt",
                "{a,/b}/c",
                "~/notes",
                "C:/notes",
                "C:\\notes",
                "!secret.txt",
                "{a,!b}",
            })
    void whatCantBeReadIsRefused(String pattern) {
        assertThatIllegalArgumentException().isThrownBy(() -> LockPattern.parse(pattern));
    }

    @ParameterizedTest
    @CsvSource({
        "src/secret.txt, src, true",
        "src/secret.txt, docs, false",
        "**/*.pem, docs, true",
        "src/secret.txt, src/secret.txt, false",
        "secrets/**, '', true",
    })
    void knowsWhatItMayCoverBelow(String pattern, String folder, boolean expected) {
        assertThat(LockPattern.parse(pattern).mayCoverBelow(names(folder))).isEqualTo(expected);
    }

    @Test
    void manyStarsTakeNoLongerThanTheyMust() {
        String pattern = "a*".repeat(200) + "b/" + "**/x/".repeat(100);
        String path = "a".repeat(5_000) + "/x".repeat(2_000);
        Instant before = Instant.now();
        assertThat(covers(pattern, path)).isFalse();
        assertThat(Duration.between(before, Instant.now())).isLessThan(Duration.ofSeconds(5));
    }

    @Test
    void bracesThatStandForTooMuchAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockPattern.parse("{a,b,c,d}".repeat(8)));
    }
}
