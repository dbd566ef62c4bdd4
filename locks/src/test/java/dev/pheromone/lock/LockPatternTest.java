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
import java.util.Random;

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

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "src                  | src/parser/Lexer.java",
                "src/**               | src",
                "**                   | anything",
                "**/*.java            | src/*.java",
                "**/a/**              | b/a/c",
                "a/**/z               | a/b/**",
                "src/*/x              | src/y*/x",
                "a*c                  | ab*",
                "*.java               | Lexer.*",
                "file[0-9]            | file[5-z]",
                "file[!0-9]           | file[^a-y]",
                "file[!0-9]           | filex",
                "f?le                 | file",
                "f?le                 | f[h-j]le",
                "{a,b}/x              | {b,c}/x",
                "a/../b               | b/c",
                "'\\*'               | '?'",
                "a**z                 | a/b/z",
                "?                    | 🐜",
            })
    void overlapsWhereAPathCouldBeCoveredByBoth(String one, String other) {
        assertThat(LockPattern.parse(one).overlaps(LockPattern.parse(other))).isTrue();
        assertThat(LockPattern.parse(other).overlaps(LockPattern.parse(one))).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "src                  | docs",
                "src/a                | src/b",
                "src/a*               | src/b*",
                "src/*.java           | src/x.javac",
                "file[0-4]            | file[5-9]",
                "file[!0-9]           | file7",
                "f?le                 | f/le",
                "{a,b}/x              | {c,d}/x",
                "'\\*'               | 'x'",
                "*a                   | *b",
                "a?                   | a",
            })
    void doesNotOverlapWhereNoPathIsCoveredByBoth(String one, String other) {
        assertThat(LockPattern.parse(one).overlaps(LockPattern.parse(other))).isFalse();
        assertThat(LockPattern.parse(other).overlaps(LockPattern.parse(one))).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "**/*.md, src/Main.java, false",
        "**/*.md, src/README.md, true",
        "**/*.md, **/READ*, true",
        "**/*.md, **/READ*.txt, false",
        "pom.xml, **/pom.xml, true",
        "a/**/x.txt, a/x.txt, true",
    })
    void nothingLiesBelowFiles(String one, String other, boolean expected) {
        LockPattern first = LockPattern.parse(one).ofFiles();
        LockPattern second = LockPattern.parse(other);
        LockPattern last = other.indexOf('.') < 0 ? second : second.ofFiles();
        assertThat(first.overlaps(last)).isEqualTo(expected);
        assertThat(last.overlaps(first)).isEqualTo(expected);
    }

    @Test
    void overlapsAgreeWithWhatIsCovered() {
        long seed = Long.getLong("rsm.seed", new Random().nextLong());
        Random random = new Random(seed);
        int covered = 0;
        for (int i = 0; i < 20_000; i++) {
            String one = pattern(random);
            String other = pattern(random);
            String path = name(random) + "/" + name(random);
            if (covers(one, path) && covers(other, path)) {
                covered++;
                assertThat(LockPattern.parse(one).overlaps(LockPattern.parse(other)))
                        .as("seed %d: %s and %s at %s", seed, one, other, path)
                        .isTrue();
            }
        }
        assertThat(covered).isGreaterThan(100);
    }

    private static String pattern(Random random) {
        List<String> names = List.of("**", "*", "a*", "*b", "?b", "[ab]*", "[!a]b", "ab", "{a,b}a");
        StringBuilder pattern = new StringBuilder();
        for (int i = 0; i <= random.nextInt(3); i++) {
            pattern.append(i == 0 ? "" : "/").append(names.get(random.nextInt(names.size())));
        }
        return pattern.toString();
    }

    private static String name(Random random) {
        return List.of("a", "b", "ab", "ba", "bb", "aab").get(random.nextInt(6));
    }

    @Test
    void heavyPatternsOverlapWithinMoments() {
        String heavy = "{a,b}".repeat(5) + "*a".repeat(150);
        Instant before = Instant.now();
        assertThat(LockPattern.parse(heavy).overlaps(LockPattern.parse(heavy + "c"))).isFalse();
        assertThat(
                        LockPattern.parse("{a,b}".repeat(8))
                                .overlaps(LockPattern.parse("{c,d}".repeat(8))))
                .isTrue();
        assertThat(Duration.between(before, Instant.now())).isLessThan(Duration.ofSeconds(20));
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
