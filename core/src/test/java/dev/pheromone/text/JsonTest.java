package dev.pheromone.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

class JsonTest {

    @Nested
    class Writing {

        @Test
        void isCompactAndKeepsTheOrderOfFields() {
            Json.Obj object =
                    Json.obj()
                            .put("z", 1)
                            .put("a", "text")
                            .put("half", 0.5)
                            .put("whole", 3.0)
                            .put("yes", true)
                            .put("none", Json.Null.NULL)
                            .putTexts("list", List.of("x", "y"))
                            .put("in", Json.obj());
            assertThat(object)
                    .hasToString(
                            "{\"z\":1,\"a\":\"text\",\"half\":0.5,\"whole\":3,\"yes\":true,\"none\":null,"
                                + "\"list\":[\"x\",\"y\"],\"in\":{}}");
        }

        @Test
        void leavesNothingThatBreaksALineOrATerminal() {
            assertThat(Json.of("\"\\\n\r\t\b\f\0\u001b\u007f\u009b\u2028\u2029"))
                    .hasToString(
                            "\"\\\"\\\\\\n\\r\\t\\b\\f\\u0000\\u001b\\u007f\\u009b\\u2028\\u2029\"");
        }

        @Test
        void escapesWhatNobodySees() throws Exception {
            String hidden = "a\u202e\u2066\u200b\ufeff\u00ad\u2063b" + Character.toString(0xE0041);
            String written = Json.of(hidden).toString();
            assertThat(written)
                    .isEqualTo("\"a\\u202e\\u2066\\u200b\\ufeff\\u00ad\\u2063b\\udb40\\udc41\"");
            assertThat(JsonReader.read(written)).isEqualTo(Json.of(hidden));
        }

        @Test
        void keepsPairsAndEscapesSurrogatesWithoutAPartner() {
            assertThat(Json.of("é😀\ud83d!\ude00")).hasToString("\"é😀\\ud83d!\\ude00\"");
            assertThat(Json.of("\ud83d")).hasToString("\"\\ud83d\"");
        }

        @Test
        void refusesNumbersThatJsonDoesNotHave() {
            assertThatIllegalArgumentException().isThrownBy(() -> Json.of(Double.NaN));
            assertThatIllegalArgumentException().isThrownBy(() -> new Json.Num("0x10"));
        }
    }

    @Nested
    class Building {

        @Test
        void putReplacesWhereTheFieldStands() {
            assertThat(Json.obj().put("a", 1).put("b", 2).put("a", 3))
                    .hasToString("{\"a\":3,\"b\":2}");
        }

        @Test
        void putLeavesTheOriginalAsItWas() {
            Json.Obj one = Json.obj().put("a", 1);
            assertThat(one.put("b", 2)).hasToString("{\"a\":1,\"b\":2}");
            assertThat(one).hasToString("{\"a\":1}");
        }

        @Test
        void whatIsAbsentIsNotWritten() {
            assertThat(
                            Json.obj()
                                    .putIfPresent("a", (String) null)
                                    .putIfPresent("b", Optional.of("x")))
                    .hasToString("{\"b\":\"x\"}");
        }

        @Test
        void withoutTakesOneFieldAway() {
            Json.Obj three = Json.obj().put("a", 1).put("b", 2).put("c", 3);
            assertThat(three.without("b")).hasToString("{\"a\":1,\"c\":3}");
            assertThat(three.without("d")).isSameAs(three);
        }

        @Test
        void objectsAreEqualWhateverTheOrderOfTheirFields() {
            Json.Obj one = Json.obj().put("a", 1).put("b", 2);
            Json.Obj other = Json.obj().put("b", 2).put("a", 1);
            assertThat(one)
                    .isEqualTo(other)
                    .hasSameHashCodeAs(other)
                    .isNotEqualTo(Json.obj().put("a", 1));
        }
    }

    @Nested
    class Asking {

        private final Json.Obj object =
                Json.obj()
                        .put("text", "x")
                        .put("number", 7)
                        .put("flag", true)
                        .putTexts("list", List.of("y"));

        @Test
        void givesWhatIsThere() {
            assertThat(object.text("text")).isEqualTo("x");
            assertThat(object.number("number")).isEqualTo(7);
            assertThat(object.flag("flag")).isTrue();
            assertThat(object.texts("list")).containsExactly("y");
            assertThat(object.optionalText("number")).isEmpty();
            assertThat(object.optionalNumber("none")).isEmpty();
        }

        @Test
        void namesTheFieldAndTheKindButNotTheValueOfWhatIsWrong() {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> object.number("text"))
                    .withMessage("field \"text\": found Str, expected a whole number");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> object.text("none"))
                    .withMessage("field \"none\": found nothing, expected a string");
        }

        @ParameterizedTest
        @ValueSource(strings = {"5", "5.0", "5e0", "0.5e1"})
        void wholeNumbersComeInSeveralForms(String raw) {
            assertThat(new Json.Num(raw).longValue()).hasValue(5);
        }

        @ParameterizedTest
        @ValueSource(strings = {"1e999999999", "-1e999999999", "9223372036854775808", "0.1"})
        @Timeout(5)
        void numbersThatAreNotWholeOrDoNotFitAreNone(String raw) {
            assertThat(new Json.Num(raw).longValue()).isEmpty();
        }
    }

    @Nested
    class Reading {

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "{\"a\":[1,2.50,-3e+9,1e999999999,null,true,false],\"b\":{\"c\":\"\\ud800"
                            + " é😀\"}}",
                    "[]",
                    "\"\\u2028\"",
                    "0",
                    "-0"
                })
        void isTheInverseOfWriting(String text) throws Exception {
            assertThat(Json.parse(text)).hasToString(text);
        }

        @Test
        void takesTheLastOfEqualNames() throws Exception {
            assertThat(Json.parse("{\"a\":1,\"b\":2,\"a\":3}")).hasToString("{\"a\":3,\"b\":2}");
        }

        @Test
        void turnsNumbersThatAreNoneIntoTheirNames() throws Exception {
            assertThat(Json.parse("[NaN,Infinity,-Infinity,+INF,-INF]"))
                    .hasToString("[\"NaN\",\"Infinity\",\"-Infinity\",\"Infinity\",\"-Infinity\"]");
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "",
                    " ",
                    "{",
                    "{\"a\"",
                    "{\"a\":}",
                    "[1,]",
                    "1 2",
                    "{}{}",
                    "01",
                    "+1",
                    "1.",
                    ".5",
                    "foo",
                    "'a'",
                    "{a:1}",
                    "\"a\nb\"",
                    "\"\\x\"",
                    "\"",
                    "tru",
                    "[1}",
                    "/**/1",
                    "\ufeff1"
                })
        void refusesWhatIsNotJson(String text) {
            assertThatThrownBy(() -> Json.parse(text)).isInstanceOf(MalformedJsonException.class);
        }

        @ParameterizedTest
        @ValueSource(strings = {"{\"a\":", "{", "[1", "[1}", "\"a", "{\"a\" 1}", "tru"})
        void problemsTellOfTheTextAlone(String text) {
            assertThatThrownBy(() -> Json.parse(text))
                    .isInstanceOf(MalformedJsonException.class)
                    .message()
                    .doesNotContain("Source", "REDACTED", "StreamReadFeature");
        }

        @Test
        void tellsLineAndColumn() {
            assertThatThrownBy(() -> Json.parse("{\n  \"a\" 1}"))
                    .isInstanceOfSatisfying(
                            MalformedJsonException.class,
                            e -> {
                                assertThat(e.line()).isEqualTo(2);
                                assertThat(e.column()).isEqualTo(7);
                                assertThat(e).hasMessageStartingWith("line 2, column 7: ");
                            });
        }

        @Test
        void refusesOverlongAndOtherInvalidUtf8() {
            for (byte[] bytes :
                    new byte[][] {
                        {'"', (byte) 0xc0, (byte) 0x80, '"'},
                        {'"', (byte) 0xe9, '"'},
                        {'"', (byte) 0xed, (byte) 0xa0, (byte) 0x80, '"'}
                    }) {
                assertThatThrownBy(() -> Json.parse(bytes))
                        .isInstanceOf(MalformedJsonException.class);
            }
        }

        @Test
        void readsUtf8() throws Exception {
            assertThat(Json.parse("\"é😀\"".getBytes(StandardCharsets.UTF_8)))
                    .isEqualTo(Json.of("é😀"));
        }

        @Test
        @Timeout(10)
        void endsSoonOnHostileText() throws Exception {
            assertThatThrownBy(() -> Json.parse("[".repeat(1_000_000)))
                    .isInstanceOf(MalformedJsonException.class);
            assertThatThrownBy(() -> Json.parse("9".repeat(1_000_000)))
                    .isInstanceOf(MalformedJsonException.class);
            var manyNames = new StringBuilder("{\"\":0");
            for (int i = 0; i < 100_000; i++) {
                manyNames.append(",\"").append(i).append("\":").append(i);
            }
            assertThat(Json.parse(manyNames.append('}').toString())).isInstanceOf(Json.Obj.class);
        }
    }
}
