package dev.pheromone.redaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.SendResult;
import dev.pheromone.envelope.Consent;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;

class RedactionCheckTest {

    private static final String TOKEN = "ghp_" + "aB3dE6gH9j".repeat(3) + "kLmN0p";
    private static final Instant NOW = Instant.parse("2025-11-03T09:15:30Z");

    private final RedactionCheck check =
            new RedactionCheck(
                    new Redactor(
                            Rules.builtIn(),
                            new PrivateWords(List.of("lovelace"), List.of(), List.of())));

    private static Envelope envelope(String header, String body) throws Exception {
        String text =
                """
                ---
                from: ada
                to: [queen://code]
                lane: Code
                topic: t
                priority: P2
                ttl: 1h
                consent: public
                %s---
                %s\
                """
                        .formatted(header, body);
        return Envelope.complete(
                text.getBytes(StandardCharsets.UTF_8), EnvelopeId.random(NOW), NOW);
    }

    private List<String> kinds(String header, String body) throws Exception {
        Envelope envelope = envelope(header, body);
        assertThat(envelope.consent()).isEqualTo(Consent.PUBLIC);
        return check.objection(envelope).map(SendResult.NotPublic::kinds).orElse(List.of());
    }

    @Test
    void mailWithoutSecretsMayGo() throws Exception {
        assertThat(kinds("tags: [a, b]\n", "the parser is slow\n")).isEmpty();
    }

    @Test
    void whatIsFoundIsNamedByKindAndNeverByItself() throws Exception {
        Envelope telling = envelope("", "use " + TOKEN + " or ask ada@engines.org\n");
        assertThat(check.objection(telling))
                .contains(
                        new SendResult.NotPublic(
                                List.of("email", "github-token"),
                                "it holds what must not become public: email, github-token"));
    }

    @Test
    void everyPartOfTheHeaderIsLookedAt() throws Exception {
        assertThat(kinds("scope: \"" + TOKEN + "\"\n", "")).containsExactly("github-token");
        assertThat(kinds("tags: [\"" + TOKEN + "\"]\n", "")).containsExactly("github-token");
        assertThat(kinds("x_note: " + TOKEN + "\n", "")).containsExactly("github-token");
        assertThat(kinds("traceparent: " + TOKEN + "\n", "")).containsExactly("github-token");
        assertThat(kinds("# " + TOKEN + "\n", "")).containsExactly("github-token");
        assertThat(kinds("scope: a # " + TOKEN + "\n", "")).containsExactly("github-token");
        assertThat(kinds("reply_to: user://lovelace\n", "")).containsExactly("user");
    }
}
