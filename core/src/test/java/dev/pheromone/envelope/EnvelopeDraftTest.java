package dev.pheromone.envelope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Lane;
import dev.pheromone.trust.Signer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;

class EnvelopeDraftTest {

    private static final Actor ADA = new Actor("ada");
    private static final EnvelopeId ID = EnvelopeId.parse("01K7N3Q8ZR4D6T2W9XAVHB5YCE");
    private static final Instant TIME = Instant.parse("2025-11-03T09:15:30.123456Z");

    @Test
    void anEnvelopeIsWrittenInTheSpecificationsOrder() {
        Envelope unsigned =
                draft("review the parser")
                        .id(ID)
                        .priority(Priority.P1)
                        .ttl(Ttl.parse("1h"))
                        .scope("core/src")
                        .consent(Consent.PRIVATE)
                        .tags(List.of("parser", "no", "a b"))
                        .replyTo(Address.parse("user://ada"))
                        .correlationId(ID)
                        .hops(2)
                        .fromOrigin(FromOrigin.FLAG)
                        .attachments(List.of(Attachment.parse("a b.txt sha256:" + "ab".repeat(32))))
                        .traceparent(
                                TraceParent.parse(
                                        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"))
                        .body("Please look.\n")
                        .seal();
        Envelope envelope = Signer.hmac(new KeyId("k1"), new byte[32]).sign(unsigned);
        assertThat(text(envelope))
                .isEqualTo(
                        """
                        ---
                        id: 01K7N3Q8ZR4D6T2W9XAVHB5YCE
                        ts: 2025-11-03T09:15:30.123Z
                        from: ada
                        to: [queen://code]
                        reply_to: user://ada
                        correlation_id: 01K7N3Q8ZR4D6T2W9XAVHB5YCE
                        lane: Code
                        topic: review the parser
                        priority: P1
                        ttl: 1h
                        scope: core/src
                        consent: private
                        sig: %s
                        kid: k1
                        hash: %s
                        tags: [parser, "no", a b]
                        attachments: [a b.txt sha256:%s]
                        traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
                        hops: 2
                        from_origin: flag
                        ---
                        Please look.
                        """
                                .formatted(
                                        envelope.signature().orElseThrow(),
                                        envelope.hash(),
                                        "ab".repeat(32)));
        assertThat(envelope.hashMatches()).isTrue();
    }

    @Test
    void withoutFurtherWordsAnEnvelopeIsP2AndLivesADay() {
        Envelope envelope = draft("hi").seal();
        assertThat(envelope.priority()).isEqualTo(Priority.P2);
        assertThat(envelope.ttl()).hasToString("1d");
        assertThat(envelope.consent()).isEqualTo(Consent.TEAM);
        assertThat(envelope.body()).isEmpty();
        assertThat(draft("hi").seal().id()).isNotEqualTo(envelope.id());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    plain words, é     | "plain words, é"
                    plain words é      | plain words é
                    fix: the parser    | "fix: the parser"
                    trailing:          | "trailing:"
                    a:b                | a:b
                    a #b               | "a #b"
                    a#b                | a#b
                    #1                 | "#1"
                    - x                | "- x"
                    say "hi"           | "say \\"hi\\""
                    it's               | it's
                    C:\\temp           | C:\\temp
                    "C:\\temp"         | "\\"C:\\\\temp\\""
                    ` spaces `         | " spaces "
                    True               | "True"
                    12                 | "12"
                    [a]                | "[a]"
                    ~                  | "~"
                    😀 party           | "😀 party"
                    """)
    void aTopicIsQuotedOnlyWhereItMustBe(String topic, String written) throws Exception {
        Envelope envelope = draft(topic).seal();
        assertThat(text(envelope)).contains("\ntopic: " + written + "\n");
        assertThat(envelope.topic()).isEqualTo(topic);
        YamlOracle.checkAgreement(envelope.text());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "  ", "two\nlines", "a\tb", "a\u202eb", "a\0b", "lone \ud83d surrogate"})
    void aTopicThatNoHeaderCanHoldIsRefused(String topic) {
        assertThatThrownBy(() -> draft(topic).seal())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("found ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\n# gone", "a\nscope: everything", "a\r\nsig: x", "a\rb"})
    void aValueNeverBeginsALineOfItsOwn(String value) {
        String expected = "found a line end (U+000" + (value.contains("\r") ? "D" : "A") + ")";
        assertThatThrownBy(() -> draft(value).seal())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("topic: " + expected);
        assertThatThrownBy(() -> draft("hi").scope(value).seal())
                .hasMessageStartingWith("scope: " + expected);
        assertThatThrownBy(() -> draft("hi").tags(List.of("fine", value)).seal())
                .hasMessageStartingWith("tags: " + expected);
        Attachment attachment = new Attachment(value, ContentHash.of(new byte[0]));
        assertThatThrownBy(() -> draft("hi").attachments(List.of(attachment)).seal())
                .hasMessageStartingWith("attachments: " + expected);
    }

    @Test
    void anEnvelopeNeedsARecipientATimeAndABodyThatFits() {
        assertThatThrownBy(() -> Envelope.draft(ADA, List.of(), Lane.CODE, "hi"))
                .hasMessage("envelope from ada has nobody in \"to\"");
        EnvelopeDraft timeless =
                Envelope.draft(ADA, List.of(Address.parse("queen://code")), Lane.CODE, "hi");
        assertThatThrownBy(timeless::seal).hasMessageContaining("has no ts");
        assertThatThrownBy(() -> draft("hi").body(new byte[EnvelopeText.BODY_BYTES_MAX + 1]).seal())
                .hasMessageContaining("body: found 65537 bytes");
        assertThatThrownBy(() -> draft("hi").hops(9).seal())
                .hasMessageContaining("hops: found \"9\"");
    }

    @Test
    void aBodyIsKeptAsItIs() {
        byte[] body = {'-', '-', '-', '\n', 0, (byte) 0xFF, '\r'};
        assertThat(draft("hi").body(body).seal().body()).isEqualTo(body);
    }

    private static EnvelopeDraft draft(String topic) {
        return Envelope.draft(ADA, List.of(Address.parse("queen://code")), Lane.CODE, topic)
                .ts(TIME);
    }

    private static String text(Envelope envelope) {
        return new String(envelope.bytes(), StandardCharsets.UTF_8);
    }
}
