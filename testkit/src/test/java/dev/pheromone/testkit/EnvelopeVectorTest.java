package dev.pheromone.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.pheromone.envelope.Ask;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeText;
import dev.pheromone.envelope.Header;
import dev.pheromone.envelope.MalformedEnvelopeException;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

class EnvelopeVectorTest {

    @TestFactory
    Stream<DynamicTest> envelopes() {
        return CaseTests.of("envelope", EnvelopeVectorTest::check);
    }

    @TestFactory
    Stream<DynamicTest> hashes() {
        return CaseTests.of("hash", EnvelopeVectorTest::check);
    }

    private static void check(Vector vector) {
        byte[] content = vector.content();
        try {
            Envelope envelope = Envelope.parse(content);
            assertThat(envelope.hashMatches() ? "success" : "hash failure")
                    .isEqualTo(vector.expect());
            assertThat(envelope.bytes()).as("written again").isEqualTo(content);
            checkValues(vector, envelope);
            checkHeader(envelope, content);
        } catch (MalformedEnvelopeException e) {
            checkProblem(vector, e);
        }
    }

    static void checkProblem(Vector vector, MalformedEnvelopeException e) {
        switch (vector.expect()) {
            case "header failure" -> {}
            case "body failure" -> assertThat(e.field()).isEqualTo("body");
            default -> fail("expected " + vector.expect(), e);
        }
        Map<String, String> found = new LinkedHashMap<>();
        found.put("line", String.valueOf(e.line()));
        found.put("column", String.valueOf(e.column()));
        found.put("field", String.valueOf(e.field()));
        found.put("incomplete", String.valueOf(e.isIncomplete()));
        CaseTests.assertKeys(vector, found);
    }

    private static void checkValues(Vector vector, Envelope envelope) {
        Map<String, String> found = new LinkedHashMap<>();
        found.put("id", envelope.id().text());
        found.put("ts", envelope.ts().toString());
        found.put("from", envelope.from().name());
        found.put("to", joined(" ", envelope.to()));
        envelope.replyTo().ifPresent(address -> found.put("reply_to", address.toString()));
        envelope.correlationId().ifPresent(id -> found.put("correlation_id", id.text()));
        found.put("lane", envelope.lane().name());
        found.put("topic", envelope.topic());
        found.put("priority", envelope.priority().name());
        found.put("ttl_s", String.valueOf(envelope.ttl().duration().toSeconds()));
        envelope.scope().ifPresent(scope -> found.put("scope", scope));
        found.put("consent", envelope.consent().toString());
        envelope.kid().ifPresent(kid -> found.put("kid", kid.name()));
        found.put("tags", joined(", ", envelope.tags()));
        found.put("attachments", joined(", ", envelope.attachments()));
        envelope.traceparent().ifPresent(trace -> found.put("traceparent", trace.text()));
        found.put("hops", String.valueOf(envelope.hops()));
        envelope.fromOrigin().ifPresent(origin -> found.put("from_origin", origin.toString()));
        envelope.ask().ifPresent(ask -> putAsk(found, ask));
        envelope.answer().ifPresent(answer -> found.put("answer", answer));
        found.put("body_length", String.valueOf(envelope.bodySize()));
        found.put("body_sha256", ContentHash.of(envelope.body()).hex());
        found.put("extra", joined(" ", envelope.extra()));
        found.put(
                "warnings",
                joined(
                        " ",
                        envelope.warnings().stream().map(EnvelopeVectorTest::fieldOf).toList()));
        found.put("field", "hash");
        CaseTests.assertKeys(vector, found);
    }

    private static void putAsk(Map<String, String> found, Ask ask) {
        found.put("ask", joined(", ", ask.choices()));
        found.put("ask_free", String.valueOf(ask.free()));
        if (ask.fallback() != null) {
            found.put("ask_default", ask.fallback());
        }
        if (ask.deadline() != null) {
            found.put("ask_deadline", ask.deadline().toString());
        }
        found.put("ask_of", joined(" ", ask.of()));
    }

    /// What is read from the beginning of a file alone is what the whole file says.
    private static void checkHeader(Envelope envelope, byte[] content)
            throws MalformedEnvelopeException {
        Header header =
                Header.parse(content, Math.min(content.length, EnvelopeText.PREFIX_BYTES_MAX));
        assertThat(header.id()).isEqualTo(envelope.id());
        assertThat(header.ts()).isEqualTo(envelope.ts());
        assertThat(header.hash()).isEqualTo(envelope.hash());
        assertThat(header.topic()).isEqualTo(envelope.topic());
        assertThat(header.ttl()).isEqualTo(envelope.ttl());
        assertThat(header.priority()).isEqualTo(envelope.priority());
        assertThat(header.bodyStart()).isEqualTo(content.length - envelope.bodySize());
    }

    /// The field of a warning such as `line 6: lane: found …`.
    private static String fieldOf(String warning) {
        return warning.split(": ", 3)[1];
    }

    private static String joined(String separator, List<?> values) {
        return String.join(separator, values.stream().map(Object::toString).toList());
    }
}
