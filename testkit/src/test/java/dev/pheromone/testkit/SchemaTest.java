package dev.pheromone.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.envelope.EnvelopeText;
import dev.pheromone.text.Json;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.stream.Stream;

class SchemaTest {

    private static final Schemas SCHEMAS = new Schemas();

    @Nested
    class OfHeaders {

        /// What a pattern can't say: sums of time.
        private static final Set<String> NOT_EXPRESSED = Set.of("ttl_0", "ttl_31d");

        @TestFactory
        Stream<DynamicTest> agreesWithTheReader() {
            return CaseTests.of(
                    CaseTests.wellFormed("envelope"),
                    vector -> {
                        EnvelopeText text = EnvelopeText.parse(vector.content());
                        boolean accepted =
                                SCHEMAS.problems("header", json(text).toString()).isEmpty();
                        assertThat(accepted)
                                .as("%s: %s", vector.get("comment"), json(text))
                                .isEqualTo(
                                        vector.expectsSuccess()
                                                || NOT_EXPRESSED.contains(vector.name()));
                    });
        }

        private static Json.Obj json(EnvelopeText text) {
            Json.Obj fields = Json.obj();
            for (EnvelopeText.Field field : text.fields()) {
                fields =
                        switch (field.shape()) {
                            case SCALAR -> fields.put(field.key(), field.values().getFirst());
                            case LIST -> fields.putTexts(field.key(), field.values());
                            // Optional fields without a value are absent; only a signature is none
                            // of those.
                            case EMPTY ->
                                    field.key().equals("sig") ? fields.put("sig", "") : fields;
                        };
            }
            return fields;
        }
    }

    @Nested
    class OfEvents {

        @TestFactory
        Stream<DynamicTest> takeWhatIsWritten() {
            return CaseTests.of(
                    Vectors.family("rse").stream()
                            .filter(vector -> vector.name().startsWith("type_")),
                    vector -> {
                        String type = vector.get("type");
                        assertThat(SCHEMAS.problems("event/" + type, line(vector))).isEmpty();
                        assertThat(SCHEMAS.problems("event", line(vector))).isEmpty();
                    });
        }

        @TestFactory
        Stream<DynamicTest> refuseAnEventWithoutItsData() {
            return SCHEMAS.names().stream()
                    .filter(name -> name.startsWith("event/"))
                    .map(name ->
                            DynamicTest.dynamicTest(
                                    name,
                                    () -> {
                                        String type = name.substring("event/".length());
                                        assertThat(SCHEMAS.problems("event", event(type)))
                                                .isEmpty();
                                        assertThat(SCHEMAS.problems(name, event(type)))
                                                .isNotEmpty();
                                    }));
        }

        @Test
        void everyTypeHasAVectorAndASchema() {
            Stream<String> types =
                    Vectors.family("rse").stream()
                            .map(Vector::name)
                            .filter(name -> name.startsWith("type_"))
                            .map(name -> name.replaceFirst("type_", "event/"));
            assertThat(types)
                    .containsExactlyInAnyOrderElementsOf(
                            SCHEMAS.names().stream()
                                    .filter(name -> name.startsWith("event/"))
                                    .toList());
        }

        @Test
        void refuseWhatIsNotWritten() {
            String good = event("tea_break");
            assertThat(SCHEMAS.problems("event", good.replace(".250Z", "Z"))).isNotEmpty();
            assertThat(SCHEMAS.problems("event", good.replace("\"actor\":\"ci\",", "")))
                    .isNotEmpty();
            assertThat(SCHEMAS.problems("event", good.replace("{}", "\"text\""))).isNotEmpty();
            assertThat(SCHEMAS.problems("event", good.replace("{}", "{},\"more\":1"))).isNotEmpty();
        }

        private static String event(String type) {
            return Json.obj()
                    .put("ts", "2025-11-03T09:15:30.250Z")
                    .put("type", type)
                    .put("lane", "Code")
                    .put("actor", "ci")
                    .put("data", Json.obj())
                    .toString();
        }

        private static String line(Vector vector) {
            return new String(vector.content(), StandardCharsets.UTF_8).strip();
        }
    }

    @Nested
    class OfStatusLines {

        private static final String CLAIM =
                "01K7N3Q8ZR4D6T2W9XAVHB5YCE.1.claude.v4.1762161330000.1800.k3f9";

        private static Json.Obj line(String what) {
            return Json.obj().put("ts", "2025-11-03T09:15:30Z").put("what", what);
        }

        private static Json.Obj ofClaim(String what) {
            return line(what).put("by", "claude.v4").put("attempt", 1).put("claim", CLAIM);
        }

        private static void assertAccepted(Json.Obj line) {
            assertThat(SCHEMAS.problems("status", line.toString())).isEmpty();
        }

        private static void assertRefused(Json.Obj line) {
            assertThat(SCHEMAS.problems("status", line.toString())).isNotEmpty();
        }

        @Test
        void takeEachStep() {
            assertAccepted(line("first_seen"));
            assertAccepted(ofClaim("claim").put("lease_s", 1800));
            assertAccepted(
                    ofClaim("return")
                            .put("reason", "failed")
                            .put("not_before", "2025-11-03T09:16:00Z"));
            assertAccepted(ofClaim("return").put("reason", "released"));
            assertAccepted(ofClaim("outcome").put("status", "done").put("note", "merged"));
            assertAccepted(line("outcome").put("status", "dead").put("note", "not an envelope"));
        }

        @Test
        void takeStepsOfTheFuture() {
            assertAccepted(line("muted"));
        }

        @Test
        void refuseAStepWithoutItsParts() {
            assertRefused(Json.obj().put("what", "first_seen"));
            assertRefused(ofClaim("claim"));
            assertRefused(ofClaim("return"));
            assertRefused(ofClaim("return").put("reason", "bored"));
            assertRefused(line("outcome").put("status", "fine"));
            assertRefused(ofClaim("outcome").put("status", "done").put("claim", "../../x"));
        }
    }
}
