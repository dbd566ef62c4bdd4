package dev.pheromone.envelope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Lane;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;

class EnvelopeTest {

    private static final Instant TIME = Instant.parse("2025-11-03T09:15:30Z");
    private static final EnvelopeId ID = EnvelopeId.parse("01K7N3Q8ZR4D6T2W9XAVHB5YCF");

    @Nested
    class Reading {

        @Test
        void everyFieldIsAValue() throws Exception {
            Envelope envelope = parse(Samples.FULL);
            assertThat(envelope.id()).hasToString("0190f3a2-7c1e-7b3d-9a55-0c2d8e4f6a11");
            assertThat(envelope.ts()).isEqualTo(Instant.parse("2025-11-03T07:15:30.123456789Z"));
            assertThat(envelope.expiresAt())
                    .isEqualTo(Instant.parse("2025-11-03T08:45:30.123456789Z"));
            assertThat(envelope.from()).isEqualTo(new Actor("ada"));
            assertThat(envelope.to())
                    .map(Address::toString)
                    .containsExactly("queen://code", "lane://UI", "user://ada");
            assertThat(envelope.replyTo()).contains(Address.parse("worker://claude-7f3a"));
            assertThat(envelope.correlationId())
                    .contains(EnvelopeId.parse("01K7N3Q8ZR4D6T2W9XAVHB5YCE"));
            assertThat(envelope.lane()).isEqualTo(Lane.GOVERNANCE);
            assertThat(envelope.topic()).isEqualTo("café: \"quoted\" 😀");
            assertThat(envelope.priority()).isEqualTo(Priority.P0);
            assertThat(envelope.ttl()).hasToString("PT90M");
            assertThat(envelope.scope()).contains("core/src/main");
            assertThat(envelope.consent()).isEqualTo(Consent.PRIVATE);
            assertThat(envelope.kid()).contains(new KeyId("laptop-1"));
            assertThat(envelope.tags()).containsExactly("parser", "#1", "it's");
            assertThat(envelope.attachments())
                    .map(Attachment::path)
                    .containsExactly("build/report 1.html");
            assertThat(envelope.traceparent()).isPresent();
            assertThat(envelope.hops()).isEqualTo(1);
            assertThat(envelope.extra()).containsExactly("x_colour");
            assertThat(envelope.signature()).isEmpty();
            assertThat(envelope.warnings()).isEmpty();
            assertThat(envelope.hashMatches()).isTrue();
            assertThat(envelope.bodyText()).isEqualTo(Samples.BODY);
        }

        @Test
        void whatIsMissingHasItsDefault() throws Exception {
            Envelope envelope = parse(Samples.MINIMAL);
            assertThat(envelope.consent()).isEqualTo(Consent.TEAM);
            assertThat(envelope.tags()).isEmpty();
            assertThat(envelope.attachments()).isEmpty();
            assertThat(envelope.hops()).isZero();
            assertThat(envelope.scope()).isEmpty();
            assertThat(envelope.replyTo()).isEmpty();
            assertThat(envelope.correlationId()).isEmpty();
            assertThat(envelope.kid()).isEmpty();
            assertThat(envelope.traceparent()).isEmpty();
        }

        @Test
        void theBytesStayAsTheyWere() throws Exception {
            for (String text :
                    List.of(
                            Samples.MINIMAL,
                            Samples.FULL,
                            Samples.BLOCK_LISTS,
                            "\ufeff" + Samples.QUOTED)) {
                for (String variant : List.of(text, text.replace("\n", "\r\n"))) {
                    assertThat(parse(variant).bytes()).isEqualTo(bytes(variant));
                    assertThat(parse(variant).size()).isEqualTo(bytes(variant).length);
                }
            }
        }

        @Test
        void nobodyCanChangeAnEnvelopeThroughAnArray() throws Exception {
            byte[] source = bytes(Samples.MINIMAL);
            Envelope envelope = Envelope.parse(source);
            source[5] = 'x';
            envelope.bytes()[5] = 'x';
            envelope.body()[0] = 'x';
            assertThat(envelope).isEqualTo(parse(Samples.MINIMAL));
            assertThat(envelope.buffer().isReadOnly()).isTrue();
        }

        @Test
        void aWrongHashIsNoMistakeOfTheHeader() throws Exception {
            Envelope envelope = parse(Samples.MINIMAL + "more");
            assertThat(envelope.hashMatches()).isFalse();
        }

        @Test
        void theOtherSpellingOfAHashIsTheSameHash() throws Exception {
            Envelope envelope = parse(Samples.MINIMAL.replace("sha256:", "sha256-"));
            assertThat(envelope.hashMatches()).isTrue();
            assertThat(envelope.isSameMailAs(parse(Samples.MINIMAL))).isTrue();
        }

        @ParameterizedTest
        @CsvSource(
                delimiter = '|',
                textBlock =
                        """
                        lane: Code | lane: Gardening | line 6: lane: found "Gardening", which is none of the known lanes
                        ttl: 1h | ttl: 1h;traceparent: 00-abc | line 10: traceparent: found "00-abc", expected 00-<32 hex>-<16 hex>-<2 hex>
                        ttl: 1h | ttl: 1h;traceparent: [a] | line 10: traceparent: found a list, expected a single value
                        ttl: 1h | ttl: 1h;from_origin: key | line 10: from_origin: found "key", expected flag, environment or default
                        """)
        void whatIsOddButHarmlessIsAWarning(String line, String odd, String warning)
                throws Exception {
            assertThat(parse(replaced(line, odd)).warnings()).containsExactly(warning);
        }

        @ParameterizedTest
        @CsvSource(
                delimiter = '|',
                textBlock =
                        """
                        priority: P1 | priority: P4   | line 8: priority: found "P4", expected P0, P1, P2 or P3
                        priority: P1 | priority:      | line 8: priority: found nothing after the colon, expected a value
                        priority: P1 | priority: [P1] | line 8: priority: found a list, expected a single value
                        priority: P1 | x: y           | line 11: priority: found no such field in the header, expected one
                        ttl: 1h      | ttl: 31d       | line 9: ttl: found "31d", expected more than 0 and at most 30d
                        ttl: 1h      | ttl: soon      | line 9: ttl: found "soon", expected a duration, for example 90s
                        ttl: 1h      | ttl: 1h;hops: 9 | line 10: hops: found "9", expected a number from 0 to 8
                        ttl: 1h      | ttl: 1h;hops: 01 | line 10: hops: found "01", expected a number from 0 to 8
                        ttl: 1h      | ttl: 1h;tags: x | line 10: tags: found a single value, expected a list
                        ttl: 1h      | ttl: 1h;tags: [''] | line 10: tags: found an empty text
                        ttl: 1h      | ttl: 1h;sig:   | line 10: sig: found nothing after the colon, expected a value
                        ttl: 1h      | ttl: 1h;sig: hmac-ab | line 10: sig: found 2 characters after hmac-, expected 64
                        ttl: 1h      | ttl: 1h;sig: rsa-ab | line 10: sig: found "rsa", expected ed25519 or hmac
                        ttl: 1h      | ttl: 1h;kid: a/b | line 10: kid: key id: found "a/b", expected 1 to 64 letters
                        ttl: 1h      | ttl: 1h;consent: Team | line 10: consent: found "Team", expected private, team or public
                        ttl: 1h      | ttl: 1h;reply_to: ada | line 10: reply_to: found "ada", expected queen://
                        ttl: 1h      | ttl: 1h;correlation_id: x | line 10: correlation_id: found "x", expected a ULID
                        ttl: 1h      | ttl: 1h;attachments: [x] | line 10: attachments: found "x", expected a path, a space, and sha256:
                        from: claude-7f3a | from: ../x | line 4: from: found "../x", expected 1 to 64 letters
                        to: [queen://code] | to: []    | line 5: to: found nobody, expected at least one address
                        to: [queen://code] | to:       | line 5: to: found nobody, expected at least one address
                        to: [queen://code] | to: ["queen://../x"] | line 5: to: address "queen://../x" has a bad name
                        topic: review the parser | topic: '  ' | line 7: topic: found 2 characters, expected 1 to 256
                        """)
        void aFieldThatDoesNotFitIsAnErrorWithLineAndName(
                String line, String wrong, String message) {
            assertThatThrownBy(() -> parse(replaced(line, wrong)))
                    .isInstanceOf(MalformedEnvelopeException.class)
                    .hasMessageStartingWith(message);
        }

        @Test
        void aTopicHasAtMost256Characters() throws Exception {
            String longest = "😀".repeat(256);
            assertThat(parse(replaced("topic: review the parser", "topic: " + longest)).topic())
                    .isEqualTo(longest);
            assertThatThrownBy(
                            () -> parse(replaced("topic: review the parser", "topic: x" + longest)))
                    .hasMessageStartingWith(
                            "line 7: topic: found 257 characters, expected 1 to 256");
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "2025-11-03",
                    "2025-11-03T09:15:30",
                    "2025-11-03 09:15:30Z",
                    "2025-13-03T09:15:30Z",
                    "2025-02-29T09:15:30Z",
                    "2025-11-03T24:00:00Z",
                    "2025-11-03T09:15:60Z",
                    "2025-11-03T09:15:30.Z",
                    "2025-11-03T09:15:30.1234567890Z",
                    "2025-11-03T09:15:30+0200",
                    "2025-11-03T09:15:30+24:00",
                    "2025-11-03t09:15:30Z",
                    "2025-11-03T09:15:30ZZ",
                    "+2025-11-03T09:15:30Z"
                })
        void aTimeOfAnotherFormIsAnError(String time) {
            assertThatThrownBy(() -> parse(replaced("ts: 2025-11-03T09:15:30Z", "ts: " + time)))
                    .hasMessageStartingWith("line 3: ts: found \"" + time + "\", expected a time");
        }
    }

    @Nested
    class SameMail {

        @ParameterizedTest
        @CsvSource(
                delimiter = '|',
                textBlock =
                        """
                        ts: 2025-11-03T09:15:30Z | ts: 2026-01-01T00:00:00Z
                        ttl: 1h                  | ttl: 1h;kid: other
                        ttl: 1h                  | ttl: 1h;traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                        ttl: 1h                  | ttl: 1h;from_origin: flag
                        ttl: 1h                  | ttl: "1h" # a comment
                        lane: Code;topic: review the parser | topic: review the parser;lane: Code
                        """)
        void timeKeyTraceOriginOrderAndQuotesMakeNoOtherMail(String line, String other)
                throws Exception {
            assertThat(parse(Samples.MINIMAL).isSameMailAs(parse(replaced(line, other)))).isTrue();
        }

        @ParameterizedTest
        @CsvSource(
                delimiter = '|',
                textBlock =
                        """
                        priority: P1         | priority: P2
                        ttl: 1h              | ttl: 1h;x: y
                        to: [queen://code]   | to: [queen://docs]
                        id: 01K7N3Q8ZR4D6T2W9XAVHB5YCE | id: 01K7N3Q8ZR4D6T2W9XAVHB5YCF
                        """)
        void anyOtherDifferenceDoes(String line, String other) throws Exception {
            assertThat(parse(Samples.MINIMAL).isSameMailAs(parse(replaced(line, other)))).isFalse();
        }
    }

    @Nested
    class Completing {

        @Test
        void whatIsMissingIsFilledInAndTheRestStays() throws Exception {
            String partial =
                    "---\n"
                            + "# mine\n"
                            + "from: ada\n"
                            + "to: [user://bob]\n"
                            + "lane: Code\n"
                            + "topic: hi\n"
                            + "priority: P1\n"
                            + "ttl: 1h\n"
                            + "---\n"
                            + "body";
            Envelope envelope = Envelope.complete(bytes(partial), ID, TIME);
            assertThat(new String(envelope.bytes(), StandardCharsets.UTF_8))
                    .isEqualTo(
                            partial.replace(
                                            "---\n# mine",
                                            "---\nid: " + ID + "\nts: 2025-11-03T09:15:30Z\n# mine")
                                    .replace(
                                            "\n---\nbody",
                                            "\nhash: " + hash("body") + "\n---\nbody"));
            assertThat(envelope.hashMatches()).isTrue();
        }

        @Test
        void emptyFieldsAreFilledInPlaceAndLineEndsKept() throws Exception {
            String partial =
                    "---\r\n"
                            + "hash: # later\r\n"
                            + "ts:\r\n"
                            + "from: ada\r\n"
                            + "id:\r\n"
                            + "to: user://bob\r\n"
                            + "lane: Code\r\n"
                            + "topic: hi\r\n"
                            + "priority: P1\r\n"
                            + "ttl: 1h\r\n"
                            + "---\r\n";
            Envelope envelope = Envelope.complete(bytes(partial), ID, TIME);
            assertThat(new String(envelope.bytes(), StandardCharsets.UTF_8))
                    .isEqualTo(
                            partial.replace("hash: # later", "hash: " + hash(""))
                                    .replace("ts:", "ts: 2025-11-03T09:15:30Z")
                                    .replace("id:", "id: " + ID));
        }

        @Test
        void aCompleteEnvelopeStaysByteForByte() throws Exception {
            Envelope whole = parse(Samples.FULL);
            assertThat(Envelope.complete(whole.bytes(), ID, TIME)).isEqualTo(whole);
        }

        @Test
        void whatElseIsMissingIsAnError() {
            assertThatThrownBy(() -> Envelope.complete(bytes("---\nfrom: ada\n---\n"), ID, TIME))
                    .hasMessage("line 6: to: found no such field in the header, expected one");
        }
    }

    private static String hash(String body) {
        return ContentHash.of(bytes(body)).toString();
    }

    private static String replaced(String line, String other) {
        String from = line.replace(';', '\n') + "\n";
        assertThat(Samples.MINIMAL).contains(from);
        return Samples.MINIMAL.replace(from, other.replace(';', '\n') + "\n");
    }

    private static Envelope parse(String text) throws MalformedEnvelopeException {
        return Envelope.parse(bytes(text));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
