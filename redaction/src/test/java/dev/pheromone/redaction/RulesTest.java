package dev.pheromone.redaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RulesTest {

    private static final String OWN =
            """
            # our ticket numbers are nobody's business
            off: email
            allow: ^T-0+$

            rule: ticket
            keywords: t-
            pattern: \\b(T-[0-9]{3,6})\\b
            """;

    private static String redacted(Rules rules, String text) {
        return new Redactor(rules, PrivateWords.NONE).redact(text).after();
    }

    @Test
    void everyBuiltInRuleIsFilteredCheaply() {
        for (Rule rule : Rules.builtIn().all()) {
            assertThat(rule.keywords().isEmpty()).as(rule.id()).isEqualTo(rule.words() != null);
        }
    }

    @Nested
    class AFileOfTheUsers {

        @Test
        void addsRules() throws MalformedRulesException {
            assertThat(redacted(Rules.builtIn().with("own", OWN), "see T-4711, not T-000"))
                    .isEqualTo("see [REDACTED:ticket], not T-000");
        }

        @Test
        void switchesRulesOff() throws MalformedRulesException {
            String text = "ada@engines.org";
            assertThat(redacted(Rules.builtIn(), text)).isEqualTo("[REDACTED:email]");
            assertThat(redacted(Rules.builtIn().with("own", OWN), text)).isEqualTo(text);
        }

        @Test
        void replacesARuleOfTheSameId() throws MalformedRulesException {
            Rules rules =
                    Rules.builtIn()
                            .with("own", "rule: email\nkind: address\npattern: \\S+@engines\\S+");
            assertThat(redacted(rules, "ada@engines.org, bob@elsewhere.org"))
                    .isEqualTo("[REDACTED:address] bob@elsewhere.org");
            assertThat(rules.ids()).doesNotHaveDuplicates().startsWith("email");
        }

        @Test
        void winsWhereABuiltInRuleFindsTheSame() throws MalformedRulesException {
            Rules rules = Rules.builtIn().with("own", "rule: boss\npattern: ceo@engines.org");
            assertThat(redacted(rules, "ceo@engines.org")).isEqualTo("[REDACTED:boss]");
        }

        @Test
        void mayBeEmptyOrHaveOtherLineEnds() throws MalformedRulesException {
            assertThat(Rules.builtIn().with("own", "").ids()).isEqualTo(Rules.builtIn().ids());
            assertThat(Rules.builtIn().with("own", OWN.replace("\n", "\r\n")).ids())
                    .startsWith("ticket");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "nonsense | line 1: found no colon, expected key: value",
                "color: blue | line 1: found unknown key \"color\" before the first rule, expected"
                        + " rule, off or allow",
                "off: emial | line 1: off: found \"emial\", expected the id of a rule",
                "rule: A b | line 1: rule: found \"A b\", expected lower-case letters, digits and"
                        + " dashes, at most 40",
                "rule: a | line 1: rule a: found no pattern, expected one",
                "rule:  | line 1: rule: found nothing, expected a value",
                "rule: a;patern: x | line 2: patern: found an unknown key in rule a, expected kind,"
                        + " keywords, pattern, words, entropy, check, allow, lines or teaches",
                "rule: a;pattern: x;check: crc | line 3: check: found \"crc\", expected luhn, iban"
                        + " or phone",
                "rule: a;pattern: (x | line 2: pattern: found missing closing ), expected a pattern"
                        + " as RE2 has them",
                "rule: a;pattern: x;pattern: y | line 3: pattern: found a second one, expected one",
                "rule: a;pattern: x;words: users | line 3: words: found a second one, expected one",
                "rule: a;words: all | line 2: words: found \"all\", expected users, locked or"
                        + " secrets",
                "rule: a;pattern: x;entropy: 9 | line 3: entropy: found \"9\", expected bits a"
                        + " character, above 0 to 8",
                "rule: a;pattern: x;entropy: many | line 3: entropy: found \"many\", expected bits"
                        + " a character, above 0 to 8",
                "rule: a;pattern: x;lines: 2 | line 3: lines: found \"2\", expected many, or no"
                        + " such line",
                "rule: a;pattern: x;rule: a;pattern: y | line 3: rule: found a a second time,"
                        + " expected once",
                "rule: a;pattern: (?=x) | line 2: pattern: found invalid or unsupported Perl"
                        + " syntax, expected a pattern as RE2 has them"
            })
    void whatIsWrongInAFileIsSaidWithItsPlace(String text, String message) {
        assertThatThrownBy(() -> Rules.builtIn().with("own.rules", text.replace(';', '\n')))
                .isInstanceOf(MalformedRulesException.class)
                .hasMessage("own.rules: " + message);
    }

    @Test
    void aFileHasAnEnd() {
        assertThatThrownBy(() -> Rules.builtIn().with("own", "#".repeat(RulesText.LENGTH_MAX + 1)))
                .hasMessage("own: line 1: found 262145 characters, expected at most 262144");
    }
}
