package dev.pheromone.session.seat;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.Set;

class TranscriptTest {

    private static final Nonce NONCE = new Nonce("0123456789abcdef01234567");
    private static final String RING = "(ring " + NONCE.text() + ")";

    private static Set<String> answered(String harness, String... lines) {
        return Transcript.answered(
                harness, (String.join("\n", lines) + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private static void assertSeen(String harness, String... lines) {
        assertThat(answered(harness, lines)).containsExactly(NONCE.hash());
    }

    private static void assertNotSeen(String harness, String... lines) {
        assertThat(answered(harness, lines)).isEmpty();
    }

    @Nested
    class OfClaude {

        private static final String CONTEXT =
                "{\"type\":\"attachment\",\"attachment\":{\"content\":\"" + RING + "\"}}";

        private static String answer(String id) {
            return "{\"type\":\"assistant\",\"message\":{\"id\":\"" + id + "\",\"model\":\"m\"}}";
        }

        @Test
        void anAnswerThatBeganBehindTheRingCounts() {
            assertSeen("claude", CONTEXT, answer("a"));
            assertSeen("claude", answer("a"), CONTEXT, answer("a"), answer("b"));
        }

        @Test
        void anAnswerThatBeganBeforeDoesNot() {
            assertNotSeen("claude", answer("a"), CONTEXT, answer("a"));
            assertNotSeen("claude", answer("a"), CONTEXT);
            assertNotSeen("claude", answer("a"));
        }

        @Test
        void whatIsNoAnswerOfTheSessionsModelDoesNot() {
            assertNotSeen(
                    "claude",
                    CONTEXT,
                    "{\"type\":\"assistant\",\"isApiErrorMessage\":true,\"message\":{\"id\":\"e\"}}",
                    "{\"type\":\"assistant\",\"message\":{\"id\":\"e\",\"model\":\"<synthetic>\"}}",
                    "{\"type\":\"assistant\",\"isSidechain\":true,\"message\":{\"id\":\"s\"}}",
                    "{\"type\":\"user\",\"message\":{\"content\":\"assistant\"}}",
                    "{\"type\":\"assistant\"}",
                    "\"assistant\" is no JSON");
        }

        @Test
        void aModelThatSaysTheNonceItselfProvesNothingByThat() {
            assertNotSeen(
                    "claude",
                    "{\"type\":\"assistant\",\"message\":{\"id\":\"a\",\"text\":\""
                            + RING
                            + "\"}}");
        }

        @Test
        void aLineThatHasNotEndedIsNotRead() {
            byte[] cut = (CONTEXT + "\n" + answer("a")).getBytes(StandardCharsets.UTF_8);
            assertThat(Transcript.answered("claude", cut)).isEmpty();
        }

        @Test
        void ofALongFileTheFirstLineIsHalfAndNotRead() {
            String filler = "{\"type\":\"x\",\"text\":\"" + "y".repeat(1_000) + "\"}\n";
            String text = filler.repeat(Transcript.BYTES_MAX / filler.length() + 2);
            String end = text + CONTEXT + "\n" + answer("a") + "\n";
            byte[] bytes = end.getBytes(StandardCharsets.UTF_8);
            byte[] last = new byte[Transcript.BYTES_MAX];
            System.arraycopy(bytes, bytes.length - last.length, last, 0, last.length);
            assertThat(Transcript.answered("claude", last)).containsExactly(NONCE.hash());
        }
    }

    @Nested
    class OfCodex {

        private static String item(String payload) {
            return "{\"type\":\"response_item\",\"payload\":{" + payload + "}}";
        }

        private static final String CONTEXT =
                item("\"type\":\"message\",\"role\":\"developer\",\"content\":\"" + RING + "\"");

        private static String message() {
            return item("\"type\":\"message\",\"role\":\"assistant\"");
        }

        private static String call(String id) {
            return item("\"type\":\"function_call\",\"call_id\":\"" + id + "\"");
        }

        private static String output(String id) {
            return item("\"type\":\"function_call_output\",\"call_id\":\"" + id + "\"");
        }

        @Test
        void aModelsItemBehindTheRingCounts() {
            assertSeen("codex", CONTEXT, message());
            assertSeen("codex", call("1"), output("1"), CONTEXT, call("2"));
        }

        @Test
        void anotherCallOfTheSameAnswerDoesNot() {
            assertNotSeen("codex", call("1"), CONTEXT, call("2"));
            assertNotSeen("codex", call("1"), CONTEXT, call("2"), output("1"), output("2"));
            assertSeen("codex", call("1"), CONTEXT, call("2"), output("1"), output("2"), message());
        }

        @Test
        void whatIsNoModelsItemDoesNot() {
            assertNotSeen(
                    "codex",
                    CONTEXT,
                    item("\"type\":\"message\",\"role\":\"user\""),
                    "{\"type\":\"event_msg\",\"payload\":{\"type\":\"error\"}}");
        }
    }

    @Test
    void ofOtherProgramsNothingIsKnown() {
        assertNotSeen("gemini", RING, "{\"type\":\"assistant\",\"message\":{\"id\":\"a\"}}");
    }
}
