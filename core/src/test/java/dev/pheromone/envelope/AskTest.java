package dev.pheromone.envelope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.List;

class AskTest {

    private static Ask ask(boolean free, @Nullable String fallback, String... choices) {
        return new Ask(List.of(choices), free, fallback, null, List.of());
    }

    @Test
    void aChoiceIsMeantInAnyCaseAndWrittenAsItWasOffered() {
        Ask ask = ask(false, null, "Yes", "no");
        assertThat(ask.meant(" yes ")).contains("Yes");
        assertThat(ask.meant("NO")).contains("no");
        assertThat(ask.meant("maybe")).isEmpty();
    }

    @Test
    void anyTextIsMeantAsItIsWhereItIsFree() {
        Ask ask = ask(true, null, "yes");
        assertThat(ask.meant("YES")).contains("yes");
        assertThat(ask.meant("tomorrow")).contains("tomorrow");
        assertThat(ask.meant("  ")).isEmpty();
        assertThat(ask.meant("x".repeat(Ask.ANSWER_LENGTH_MAX + 1))).isEmpty();
    }

    @Test
    void onlyAPlainNoPermitsNothing() {
        assertThat(ask(false, null, "yes").permitsBySilence()).isFalse();
        assertThat(ask(false, "No", "yes", "No").permitsBySilence()).isFalse();
        assertThat(ask(false, "yes", "yes", "no").permitsBySilence()).isTrue();
        assertThat(ask(false, "no, go on", "no, go on").permitsBySilence()).isTrue();
        assertThat(ask(true, "stop").permitsBySilence()).isTrue();
    }

    @Test
    void aQuestionThatNobodyCouldAnswerIsNone() {
        assertThatIllegalArgumentException().isThrownBy(() -> ask(false, null));
        assertThatIllegalArgumentException().isThrownBy(() -> ask(false, "maybe", "yes"));
        assertThatIllegalArgumentException().isThrownBy(() -> ask(false, null, "yes", "YES"));
    }

    @Test
    void theHeadersOfAQuestionAreSigned() throws Exception {
        Envelope question =
                Envelope.parse(
                        """
                        ---
                        id: 01K7N3Q8ZR4D6T2W9XAVHB5YCE
                        ts: 2025-11-03T09:15:30Z
                        from: claude-7f3a
                        to: ["user://dave"]
                        lane: Code
                        topic: may I?
                        priority: P1
                        ttl: 1h
                        hash: sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
                        ask: ["yes", "no"]
                        ask_default: "no"
                        ---
                        """
                                .getBytes(StandardCharsets.UTF_8));
        String signed =
                new String(
                        question.signedBytes(Signature.Algorithm.ED25519), StandardCharsets.UTF_8);
        assertThat(signed).contains("ask: [\"yes\", \"no\"]\n", "ask_default: \"no\"\n");
    }
}
