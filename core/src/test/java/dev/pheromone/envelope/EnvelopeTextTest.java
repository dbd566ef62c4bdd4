package dev.pheromone.envelope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.envelope.EnvelopeText.Field;
import dev.pheromone.envelope.EnvelopeText.Field.Shape;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

class EnvelopeTextTest {

    @Nested
    class Frame {

        @Test
        void onlyTheFirstPairOfDashesIsTheHeader() throws Exception {
            EnvelopeText text = parse("---\na: b\n---\nbody\n---\nc: d\n---\n");
            assertThat(text.fields()).hasSize(1);
            assertThat(body(text)).isEqualTo("body\n---\nc: d\n---\n");
        }

        @Test
        void anEmptyHeaderAndAnEmptyBodyAreText() throws Exception {
            assertThat(parse("---\n---").fields()).isEmpty();
            assertThat(body(parse("---\n---"))).isEmpty();
            assertThat(body(parse("---\n---\n"))).isEmpty();
        }

        @Test
        void aByteOrderMarkAndWindowsLineEndsAreKeptOutsideTheValues() throws Exception {
            EnvelopeText text = parse("\ufeff---\r\na: b\r\n---\r\nbody\r\n");
            assertThat(text.headerStart()).isEqualTo(8);
            assertThat(values(text, "a")).containsExactly("b");
            assertThat(body(text)).isEqualTo("body\r\n");
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "",
                    "-",
                    "---",
                    "---\r",
                    "---\n",
                    "---\na: b",
                    "---\na: b\n",
                    "---\na: b\n--",
                    "---\na"
                })
        void aTextThatEndsTooEarlyIsIncomplete(String text) {
            assertThatThrownBy(() -> parse(text))
                    .isInstanceOfSatisfying(
                            MalformedEnvelopeException.class,
                            e -> assertThat(e.isIncomplete()).isTrue());
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "x",
                    "--x",
                    " ---\n",
                    "----\n",
                    "--- \n",
                    "---\rx",
                    "\n---\n",
                    "# Title\n",
                    "\ufeff\ufeff---\n"
                })
        void aTextThatBeginsOtherwiseIsMalformedForGood(String text) {
            assertThatThrownBy(() -> parse(text))
                    .isInstanceOfSatisfying(
                            MalformedEnvelopeException.class,
                            e -> {
                                assertThat(e.isIncomplete()).isFalse();
                                assertThat(e.line()).isEqualTo(1);
                            });
        }

        @Test
        void everyPrefixOfAnEnvelopeIsIncompleteUntilItsHeaderEnds() throws Exception {
            byte[] whole = bytes(Samples.FULL);
            int headerEnd = EnvelopeText.parse(whole).headerEnd();
            for (int length = 0; length < headerEnd; length++) {
                byte[] prefix = Arrays.copyOf(whole, length);
                assertThatThrownBy(() -> EnvelopeText.parse(prefix))
                        .as("%d bytes", length)
                        .isInstanceOfSatisfying(
                                MalformedEnvelopeException.class,
                                e -> assertThat(e.isIncomplete()).isTrue());
            }
        }
    }

    @Nested
    class Values {

        @ParameterizedTest
        @CsvSource(
                delimiter = '|',
                quoteCharacter = '`',
                textBlock =
                        """
                        a: b                   | b
                        a:    b  c   # d       | b  c
                        a: b#c                 | b#c
                        a: b:c                 | b:c
                        a: queen://code        | queen://code
                        a: -b                  | -b
                        a: :b                  | :b
                        a: ?b                  | ?b
                        a: --- x               | --- x
                        a: b, [c] {d}          | b, [c] {d}
                        a: it's "so"           | it's "so"
                        a: é😀                 | é😀
                        a: 'it''s'             | it's
                        a: '# b: c'  # d       | # b: c
                        a: "b \\" \\\\ \\/"    | b " \\ /
                        a: "\\x41\\u00e9"      | Aé
                        a: "\\ud83d\\uDE00"    | 😀
                        a: " b "               | ` b `
                        a: null                | null
                        a: [b]                 | b
                        a: [ "b" ]             | b
                        """)
        void aScalarIsReadAsYamlReadsIt(String line, String value) throws Exception {
            EnvelopeText text = parse("---\n" + line + "\n---\n");
            assertThat(values(text, "a")).containsExactly(value);
            YamlOracle.checkAgreement(text);
        }

        @Test
        void aListStandsInBracketsOrBelowItsKey() throws Exception {
            EnvelopeText text =
                    parse(
                            "---\n"
                                    + "a: [b, 'c, d' ,\"e]\"]\n"
                                    + "b: []\n"
                                    + "c: # below\n"
                                    + "  - x\n\n"
                                    + "# no\n"
                                    + "  - 'y' # z\n"
                                    + "d:\n"
                                    + "- 1\n"
                                    + "- 2\n"
                                    + "---\n");
            assertThat(values(text, "a")).containsExactly("b", "c, d", "e]");
            assertThat(values(text, "b")).isEmpty();
            assertThat(values(text, "c")).containsExactly("x", "y");
            assertThat(values(text, "d")).containsExactly("1", "2");
            assertThat(text.fields()).allMatch(field -> field.shape() == Shape.LIST);
            YamlOracle.checkAgreement(text);
        }

        @Test
        void aKeyWithoutAValueIsEmptyAndNotAnEmptyText() throws Exception {
            EnvelopeText text = parse("---\na:\nb: # c\nd: ''\n---\n");
            assertThat(text.fields())
                    .extracting(Field::shape)
                    .containsExactly(Shape.EMPTY, Shape.EMPTY, Shape.SCALAR);
            YamlOracle.checkAgreement(text);
        }

        @Test
        void aFieldKnowsItsLineAndItsBytes() throws Exception {
            String text = "---\n# c\nto:\n  - x # y\n  - z\nb: c\n---\n";
            Field to = parse(text).field("to").orElseThrow();
            assertThat(to.line()).isEqualTo(3);
            assertThat(text.substring(to.start(), to.end())).isEqualTo("to:\n  - x # y\n  - z\n");
        }
    }

    @Nested
    class Mistakes {

        @ParameterizedTest
        @CsvSource(
                delimiter = '|',
                quoteCharacter = '`',
                textBlock =
                        """
                        a: b: c           | 1 | 5  | found a colon and a space in a value
                        a: b:             | 1 | 5  | found a colon and a space in a value
                        a: [b: c]         | 1 | 6  | found a colon and a space in a value
                        a: [b:, c]        | 1 | 6  | found a colon and a space in a value
                        a: [#b]           | 1 | 5  | found a value beginning with #
                        a: [b, [c]]       | 1 | 8  | found a value beginning with [
                        a: [b, ]          | 1 | 8  | found a value beginning with ]
                        a: [b #c]         | 1 | 7  | found no , or ] after a list item
                        a: [b             | 1 | 6  | found no , or ] after a list item
                        a: [b,            | 1 | 7  | found no closing ]
                        a: [b] c          | 1 | 8  | found more text after the value
                        a: [b{c]          | 1 | 6  | found "{" in a list item
                        a: {b: c}         | 1 | 4  | found a value beginning with {
                        a: *b             | 1 | 4  | found a value beginning with *
                        a: &b c           | 1 | 4  | found a value beginning with &
                        a: !b c           | 1 | 4  | found a value beginning with !
                        a: PIPE           | 1 | 4  | found a value beginning with
                        a: >              | 1 | 4  | found a value beginning with >
                        a: - b            | 1 | 4  | found a value beginning with -
                        a: "b             | 1 | 6  | found no closing quote
                        a: 'b''           | 1 | 8  | found no closing quote
                        a: "b" c          | 1 | 8  | found more text after the value
                        a: "b"#c          | 1 | 7  | found more text after the value
                        a: "\\q"          | 1 | 5  | found an unknown escape
                        a: "\\u12"        | 1 | 9  | found an escape that is cut short
                        a: "\\n"          | 1 | 5  | found an escape for a control character (U+000A)
                        a: "\\ud83d"      | 1 | 5  | found an escape for no character (U+D83D)
                        a: "\\u202e"      | 1 | 5  | found an escape for a bidirectional control (U+202E)
                        a:b               | 1 | 3  | found no space after the colon
                        a b: c            | 1 | 2  | found no colon after "a"
                        A: b              | 1 | 1  | found no key
                        "a": b            | 1 | 1  | found no key
                        <<: b             | 1 | 1  | found no key
                        ` a: b`           | 1 | 2  | found an indented line
                        a: b;  c          | 2 | 3  | found an indented line
                        a: b;- c          | 2 | 1  | found a list item
                        - c               | 1 | 1  | found a list item
                        a:;- b;  - c      | 3 | 3  | found a list item
                        a:;- - b          | 2 | 3  | found a value beginning with -
                        a:;- [b]          | 2 | 3  | found a value beginning with [
                        a:;-              | 2 | 2  | found an empty list item
                        a:;- b: c         | 2 | 4  | found a colon and a space
                        a: b;b: c;a: d    | 3 | 1  | found a second time, first in line 2
                        ...               | 1 | 1  | found no key
                        `--- `            | 1 | 1  | found no key
                        """)
        void aMistakeHasALineAndAColumn(String header, int line, int column, String problem) {
            String text = "---\n" + header.replace(';', '\n').replace("PIPE", "|") + "\n---\n";
            assertThatThrownBy(() -> parse(text))
                    .isInstanceOfSatisfying(
                            MalformedEnvelopeException.class,
                            e -> {
                                assertThat(e.problem()).startsWith(problem);
                                assertThat(e.line()).isEqualTo(line + 1);
                                assertThat(e.column()).isEqualTo(column);
                            });
        }

        @ParameterizedTest
        @ValueSource(
                ints = {
                    0, 7, 9, 0x1B, 0x7F, 0x80, 0x85, 0x9F, 0x2028, 0x2029, 0x202A, 0x202E, 0x2066,
                    0x2069, 0xFEFF, 0xFFFE
                })
        void aCharacterThatHidesOrControlsIsAnErrorEvenInAComment(int codePoint) {
            String comment = "---\n# é" + Character.toString(codePoint) + "\n---\n";
            assertThatThrownBy(() -> parse(comment))
                    .hasMessageContaining("(U+%04X)".formatted(codePoint))
                    .isInstanceOfSatisfying(
                            MalformedEnvelopeException.class,
                            e -> assertThat(e.column()).isEqualTo(4));
        }

        @Test
        void bytesThatAreNotUtf8AreAnErrorInTheHeaderAndNotInTheBody() throws Exception {
            byte[] bad = "---\na: b\u00e9\n---\n".getBytes(StandardCharsets.ISO_8859_1);
            assertThatThrownBy(() -> EnvelopeText.parse(bad))
                    .hasMessage("line 2: found a byte that is not UTF-8 (0xE9), expected UTF-8");
            byte[] good = "---\na: b\n---\n\u00e9".getBytes(StandardCharsets.ISO_8859_1);
            assertThat(EnvelopeText.parse(good).fields()).hasSize(1);
        }
    }

    @Nested
    class Limits {

        @Test
        void aHeaderMayHaveEightKibibytes() throws Exception {
            String full = "a: " + "b".repeat(EnvelopeText.HEADER_BYTES_MAX - 4) + "\n";
            assertThat(parse("---\n" + full + "---").fields()).hasSize(1);
            assertThat(parse("\ufeff---\r\n" + full + "---\r\n" + "x".repeat(100)).fields())
                    .hasSize(1);
            String over = "#" + full;
            assertThatThrownBy(() -> parse("---\n" + over + "---\n"))
                    .hasMessageContaining("header: found more than 8192");
            assertThatThrownBy(() -> parse("---\n" + "#".repeat(10_000_000)))
                    .hasMessageContaining("header: found more than 8192");
        }

        @Test
        void aBodyMayHaveSixtyFourKibibytes() throws Exception {
            String body = "x".repeat(EnvelopeText.BODY_BYTES_MAX);
            assertThat(body(parse("---\n---\n" + body))).hasSize(EnvelopeText.BODY_BYTES_MAX);
            assertThatThrownBy(() -> parse("---\n---\n" + body + "x"))
                    .hasMessageStartingWith(
                            "line 3: body: found 65537 bytes, expected at most 65536");
        }

        @Test
        void aHeaderMayHaveSixtyFourKeys() throws Exception {
            StringBuilder header = new StringBuilder("---\n");
            for (int i = 0; i < EnvelopeText.KEYS_MAX; i++) {
                header.append("k").append(i).append(": v\n");
            }
            assertThat(parse(header + "---\n").fields()).hasSize(EnvelopeText.KEYS_MAX);
            assertThatThrownBy(() -> parse(header + "more: v\n---\n"))
                    .hasMessageContaining("found more than 64 keys");
        }

        @Test
        void aPrefixIsEnoughForTheHeader() throws Exception {
            byte[] file = bytes("---\na: b\n---\n" + "x".repeat(EnvelopeText.BODY_BYTES_MAX));
            EnvelopeText text = EnvelopeText.parseHeader(file, EnvelopeText.PREFIX_BYTES_MAX);
            assertThat(text.bodyStart()).isEqualTo(13);
        }
    }

    private static EnvelopeText parse(String text) throws MalformedEnvelopeException {
        return EnvelopeText.parse(bytes(text));
    }

    private static List<String> values(EnvelopeText text, String key) {
        return text.field(key).orElseThrow().values();
    }

    private static String body(EnvelopeText text) {
        return new String(
                text.bytes(),
                text.bodyStart(),
                text.length() - text.bodyStart(),
                StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
