package dev.pheromone.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Reach;
import dev.pheromone.envelope.Consent;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.MalformedEnvelopeException;
import dev.pheromone.envelope.Ttl;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

class TextVectorTest {

    @TestFactory
    Stream<DynamicTest> addresses() {
        return CaseTests.of(
                "address",
                vector ->
                        check(
                                vector,
                                text -> {
                                    Address address = Address.parse(text);
                                    String[] parts = address.toString().split("://", 2);
                                    assertThat(Address.parse(address.toString()))
                                            .isEqualTo(address);
                                    return Map.of(
                                            "scheme",
                                            parts[0],
                                            "name",
                                            parts[1],
                                            "inbox",
                                            address.domain().name());
                                }));
    }

    @TestFactory
    Stream<DynamicTest> durations() {
        return CaseTests.of(
                "duration",
                vector ->
                        check(
                                vector,
                                text -> {
                                    Ttl ttl = Ttl.parse(text);
                                    assertThat(ttl.toString()).isEqualTo(text);
                                    assertThat(ttl.duration())
                                            .hasSeconds(ttl.duration().toSeconds());
                                    return Map.of(
                                            "seconds", String.valueOf(ttl.duration().toSeconds()));
                                }));
    }

    @TestFactory
    Stream<DynamicTest> ids() {
        return CaseTests.of(
                "id",
                vector ->
                        check(
                                vector,
                                text -> {
                                    assertThat(EnvelopeId.isId(text))
                                            .isEqualTo(vector.expectsSuccess());
                                    EnvelopeId id = EnvelopeId.parse(text);
                                    Domain inbox = Domain.parse(vector.get("reply_from"));
                                    ContentHash hash =
                                            ContentHash.of(
                                                    text.getBytes(StandardCharsets.US_ASCII));
                                    return Map.of(
                                            "seen_folder", hash.hex().substring(0, 2),
                                            "reply_from", inbox.name(),
                                            "reply_id", EnvelopeId.ofReply(id, inbox).text());
                                }));
    }

    @TestFactory
    Stream<DynamicTest> instants() {
        return CaseTests.of(
                "instant", vector -> check(vector, text -> Map.of("instant", instant(text))));
    }

    @TestFactory
    Stream<DynamicTest> reaches() {
        return CaseTests.of(
                "reach",
                vector ->
                        check(
                                vector,
                                text -> {
                                    Consent consent = consent(text);
                                    assertThat(Consent.parse(consent.toString()))
                                            .isEqualTo(consent);
                                    Map<String, String> found = new TreeMap<>();
                                    found.put("consent", consent.toString());
                                    for (Reach reach : Reach.values()) {
                                        assertThat(Reach.parse(reach.toString())).isEqualTo(reach);
                                        found.put(
                                                reach.toString(),
                                                consent.allows(reach) ? "sent" : "refused");
                                    }
                                    return found;
                                }));
    }

    private static void check(Vector vector, Function<String, Map<String, String>> parser) {
        Map<String, String> found;
        try {
            found = parser.apply(vector.text());
        } catch (IllegalArgumentException e) {
            if (vector.expectsSuccess()) {
                fail(vector.get("comment"), e);
            }
            return;
        }
        assertThat(vector.expect()).as("found " + found).isEqualTo("success");
        CaseTests.assertKeys(vector, found);
    }

    /// The consent of an envelope whose field says `text`; without the field if that is empty.
    private static Consent consent(String text) {
        String field = text.isEmpty() ? "" : "consent: '" + text.replace("'", "''") + "'\n";
        try {
            return Envelope.parse(envelope("2026-03-01T10:00:00Z", field)).consent();
        } catch (MalformedEnvelopeException e) {
            assertThat(e.field()).as(e.getMessage()).isEqualTo("consent");
            throw new IllegalArgumentException(e);
        }
    }

    /// The time that an envelope has whose `ts` is `text`.
    private static String instant(String text) {
        try {
            return Envelope.parse(envelope(text, "")).ts().toString();
        } catch (MalformedEnvelopeException e) {
            assertThat(e.field()).as(e.getMessage()).isEqualTo("ts");
            throw new IllegalArgumentException(e);
        }
    }

    private static byte[] envelope(String ts, String moreFields) {
        return """
        ---
        id: 01K7N3Q8ZR4D6T2W9XAVHB5YCE
        ts: '%s'
        from: ci
        to: queen://code
        lane: Code
        topic: time
        priority: P2
        ttl: 1h
        %shash: sha256:%s
        ---
        """
                .formatted(ts, moreFields, "0".repeat(64))
                .getBytes(StandardCharsets.UTF_8);
    }
}
