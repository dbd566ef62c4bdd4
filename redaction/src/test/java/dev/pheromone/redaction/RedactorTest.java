package dev.pheromone.redaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.List;
import java.util.Map;

class RedactorTest {

    private static final String TOKEN = "ghp_" + "aB3dE6gH9j".repeat(3) + "kLmN0p";

    private static Redaction redact(String text) {
        return new Redactor(Rules.builtIn(), PrivateWords.NONE).redact(text);
    }

    private static String after(String text) {
        return redact(text).after();
    }

    @Test
    void aTextWithoutSecretsStaysAsItIs() {
        Redaction redaction = redact("nothing here\n");
        assertThat(redaction.after()).isEqualTo("nothing here\n");
        assertThat(redaction.isClean()).isTrue();
        assertThat(redaction.diff()).isEmpty();
    }

    @Test
    void aFindingSaysWhatAndWhereButNeverTheSecret() {
        Redaction redaction = redact("🐜 first\nsend " + TOKEN + " to a@b.io and c@d.io\n");
        assertThat(redaction.findings())
                .containsExactly(
                        new Finding("github-token", 2, 6),
                        new Finding("email", 2, 50),
                        new Finding("email", 2, 61));
        assertThat(redaction.counts()).isEqualTo(Map.of("email", 2, "github-token", 1));
        assertThat(redaction.toString()).doesNotContain(TOKEN).doesNotContain("@");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"\u200b", "\u200d", "\u2060", "\ufeff", "\u00ad", "\ufe0f", "\udb40\udc41"})
    void whatNobodySeesHidesNothing(String invisible) {
        for (String secret : new String[] {TOKEN, "AKIA" + "Z7QW3RT5YU2XP4LK"}) {
            String parted = secret.substring(0, 2) + invisible + secret.substring(2);
            assertThat(after("use " + parted + " there")).matches("use \\[REDACTED:.*\\] there");
            assertThat(after("use" + invisible + secret + " there"))
                    .doesNotContain(secret.substring(4));
        }
    }

    /// Forms of which the rows of the corpora have none that needs the rule.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                // In two parts, so that it looks like a key to no scanner.
                "onepassword-token | use A3-ABC234-" + "DEF567GHJ89-KLM2N-PQR3S-TUV4W | TUV4W",
                "password-variable | setx DB_PASSWORD 7kestrel | kestrel",
                "password-bold | **Passphrase** \"kestrel\" | kestrel"
            })
    void aFormThatOnlyOneRuleKnowsIsFound(String rule, String text, String secret) {
        assertThat(after(text)).as(rule).doesNotContain(secret).contains("[REDACTED:");
    }

    @Test
    void whatNobodySeesStaysWhereThereIsNoSecret() {
        String text = "a\u200bb \ud83d\udc69\u200d\ud83d\udcbb\n";
        assertThat(after(text)).isEqualTo(text);
    }

    @Test
    void columnsCountCharactersNotSurrogates() {
        assertThat(redact("🐜🐜 a@b.io").findings()).containsExactly(new Finding("email", 1, 4));
    }

    @Nested
    class WhereFindingsOverlap {

        @Test
        void theyBecomeOneOfTheKindThatStandsFirst() {
            assertThat(after("token = " + TOKEN)).isEqualTo("token = [REDACTED:github-token]");
        }

        @Test
        void theyCoverWhatEitherFound() {
            assertThat(after("mysql://app:pa55@db.engines.org/x"))
                    .isEqualTo("mysql://[REDACTED:credentials]/x");
        }

        @Test
        void aBlockCoversWhatIsInIt() {
            assertThat(
                            after(
                                    "-----BEGIN PRIVATE KEY-----\nComment: a@b.io\n"
                                            + "-----END PRIVATE KEY-----\nand c@d.io"))
                    .isEqualTo("[REDACTED:private-key]\nand [REDACTED:email]");
        }
    }

    @Nested
    class WhatIsMarkedAlready {

        @Test
        void isLeftAlone() {
            String text = "password = [REDACTED:password], token: \"[REDACTED:secret]\"";
            assertThat(redact(text).isClean()).isTrue();
            assertThat(after(text)).isEqualTo(text);
        }

        @Test
        void doesNotHideWhatStandsBesideIt() {
            assertThat(after("[REDACTED:email] and a@b.io"))
                    .isEqualTo("[REDACTED:email] and [REDACTED:email]");
        }

        @Test
        void goesWithABlockThatHasItInside() {
            Redaction redaction =
                    redact("-----BEGIN PRIVATE KEY-----\n[REDACTED:x]\n-----END PRIVATE KEY-----");
            assertThat(redaction.after()).isEqualTo("[REDACTED:private-key]");
            assertThat(redaction.findings()).hasSize(1);
        }

        @Test
        void isNothingMoreThanText() {
            assertThat(after("[REDACTED:not a kind] a@b.io"))
                    .isEqualTo("[REDACTED:not a kind] [REDACTED:email]");
        }
    }

    @Nested
    class NamesOfPeople {

        private final Redactor redactor =
                new Redactor(
                        Rules.builtIn(),
                        new PrivateWords(
                                List.of("ada", "ada.l", "al", "root"), List.of(), List.of()));

        @Test
        void areFoundAsWords() {
            assertThat(redactor.redact("Ada, ada_tests and ada.l, but Canada and adamant").after())
                    .isEqualTo(
                            "[REDACTED:user], [REDACTED:user]_tests and [REDACTED:user], but Canada"
                                    + " and adamant");
        }

        @Test
        void areNotLookedForIfTheyAreWordsOfTheTrade() {
            assertThat(redactor.redact("al is root").isClean()).isTrue();
        }

        @Test
        void areLearnedFromHomeFolders() {
            assertThat(redactor.redact("grace wrote /home/grace/x.c; so grace knows").after())
                    .isEqualTo(
                            "[REDACTED:user] wrote [REDACTED:home-path]/x.c; so [REDACTED:user]"
                                    + " knows");
        }
    }

    @Nested
    class NamesUnderALock {

        private String after(String pattern, String text) {
            return new Redactor(
                            Rules.builtIn(),
                            new PrivateWords(List.of(), List.of(pattern), List.of()))
                    .redact(text)
                    .after();
        }

        @Test
        void areThePathAndTheNameOfTheFile() {
            assertThat(after("src/plan.txt", "see src/plan.txt, ./src/plan.txt or plan.txt."))
                    .isEqualTo("see [REDACTED:dnr], [REDACTED:dnr] or [REDACTED:dnr].");
        }

        @Test
        void areFoundThroughWildcards() {
            assertThat(after("keys/**", "keys/a/b.pem keys/c (keys) /srv/keys/d"))
                    .isEqualTo("[REDACTED:dnr] [REDACTED:dnr] (keys) [REDACTED:dnr]");
            assertThat(after("**/*.pem", "a.pem x/b.pem c.pems"))
                    .isEqualTo("[REDACTED:dnr] [REDACTED:dnr] c.pems");
            assertThat(after("doc?/a+b.md", "docs/a+b.md docs/aab.md"))
                    .isEqualTo("[REDACTED:dnr] docs/aab.md");
            assertThat(after("a/**/z.md", "a/z.md a/b/c/z.md"))
                    .isEqualTo("[REDACTED:dnr] [REDACTED:dnr]");
            assertThat(after("x/{one,two}.[ch]", "x/one.c x/two.h x/two.x"))
                    .isEqualTo("[REDACTED:dnr] [REDACTED:dnr] x/two.x");
            assertThat(after("x/[!a]b", "x/ab x/cb")).isEqualTo("x/ab [REDACTED:dnr]");
            assertThat(after("x/\\*y", "x/*y x/zy")).isEqualTo("[REDACTED:dnr] x/zy");
        }

        @Test
        void areThemselvesWhereTheyAreNoPattern() {
            assertThat(after("x/[y", "x/[y")).isEqualTo("[REDACTED:dnr]");
        }

        @Test
        void coverWhatLiesInAFolder() {
            assertThat(after("src/keys", "src/keys/a.txt and src/keys, with the keys"))
                    .isEqualTo("[REDACTED:dnr] and [REDACTED:dnr], with the keys");
            assertThat(after("vault", "the vault has vault/a and vault/b/c"))
                    .isEqualTo("the vault has [REDACTED:dnr] and [REDACTED:dnr]");
        }

        @Test
        void areNotSparedByWhatIsHarmlessElsewhere() {
            assertThat(after("example-keys.txt", "in example-keys.txt"))
                    .isEqualTo("in [REDACTED:dnr]");
        }

        @Test
        void areNoneIfEverythingIsLocked() {
            assertThat(after("**", "any/path")).isEqualTo("any/path");
        }
    }

    @Test
    void secretsOfThisMachineAreFoundWithoutAnyContext() {
        String secret = "0a1b2c3d".repeat(8);
        Redactor redactor =
                new Redactor(
                        Rules.builtIn(), new PrivateWords(List.of(), List.of(), List.of(secret)));
        assertThat(redactor.redact("x" + secret + "y").after())
                .isEqualTo("x[REDACTED:signing-key]y");
    }

    @Test
    void aTextHasALengthAtMost() {
        assertThatThrownBy(() -> redact("x".repeat(Redactor.TEXT_LENGTH_MAX + 1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("text: found 1048577 characters, expected at most 1048576");
    }

    @Test
    void textsThatAreMadeToBeSlowAreNot() {
        List<String> hostile =
                List.of(
                        "-----BEGIN PRIVATE KEY-----".repeat(2_400),
                        "password=".repeat(7_000),
                        "a@".repeat(32_000),
                        "://a:b".repeat(10_000),
                        "eyJaaaaaaaa.".repeat(5_000),
                        "/home/a".repeat(9_000),
                        "token token=sk-ghp_ @ key secret ".repeat(2_000),
                        "x@y.z\n".repeat(10_000));
        for (String text : hostile) {
            long start = System.nanoTime();
            redact(text);
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .as(text.substring(0, 5))
                    .isLessThan(Duration.ofSeconds(20));
        }
    }
}
