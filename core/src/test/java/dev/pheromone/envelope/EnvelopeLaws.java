package dev.pheromone.envelope;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.envelope.EnvelopeText.Field;
import dev.pheromone.trust.Key;
import dev.pheromone.trust.SignatureCheck;
import dev.pheromone.trust.SignaturePolicy;
import dev.pheromone.trust.Signer;
import dev.pheromone.trust.TrustList;

import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// What holds for any bytes at all, whoever wrote them: the laws that fuzzing looks for a breach
/// of.
final class EnvelopeLaws {

    private static final Signer SIGNER = Signer.hmac(new KeyId("k1"), new byte[32]);
    private static final EnvelopeId OTHER_ID = EnvelopeId.parse("01K7N3Q8ZR4D6T2W9XAVHB5YCE");

    private EnvelopeLaws() {}

    /// Whether the bytes are a text with a header, and an envelope; fails if a law is broken.
    static Optional<EnvelopeText> check(byte[] bytes) throws CharacterCodingException {
        byte[] before = bytes.clone();
        Optional<EnvelopeText> text = checkText(bytes);
        checkHeaderAgrees(bytes, checkEnvelope(bytes));
        checkProblems(bytes);
        assertThat(bytes).as("reading changes nothing").isEqualTo(before);
        return text;
    }

    /// A list of problems begins with the one that reading stops at.
    private static void checkProblems(byte[] bytes) {
        List<MalformedEnvelopeException> problems = EnvelopeProblems.in(bytes).malformed();
        try {
            Envelope envelope = Envelope.parse(bytes);
            assertThat(problems).isEmpty();
            assertThat(EnvelopeProblems.in(bytes).hashMatches()).contains(envelope.hashMatches());
        } catch (MalformedEnvelopeException e) {
            assertThat(problems.getFirst()).hasMessage(e.getMessage());
        }
    }

    private static Optional<EnvelopeText> checkText(byte[] bytes) throws CharacterCodingException {
        EnvelopeText text;
        try {
            text = EnvelopeText.parse(bytes);
        } catch (MalformedEnvelopeException e) {
            assertThat(e.line()).isPositive();
            assertThat(e.column()).isPositive();
            assertThat(e.getMessage()).contains("found ").contains("expected ");
            return Optional.empty();
        }
        YamlOracle.checkAgreement(text);
        checkPlaces(text);
        checkLimits(text);
        return Optional.of(text);
    }

    /// Frame, fields and what is between them make up the text; a field's bytes are its lines.
    private static void checkPlaces(EnvelopeText text) {
        byte[] bytes = text.bytes();
        int at = text.headerStart();
        for (Field field : text.fields()) {
            assertThat(field.start()).isGreaterThanOrEqualTo(at);
            assertThat(bytes[field.start() - 1]).isEqualTo((byte) '\n');
            assertThat(bytes[field.end() - 1]).isEqualTo((byte) '\n');
            assertThat(lineNumber(bytes, field.start())).isEqualTo(field.line());
            assertThat(string(bytes, field.start(), field.end())).startsWith(field.key() + ":");
            for (String rest : string(bytes, at, field.start()).lines().toList()) {
                assertThat(rest.isBlank() || rest.startsWith("#")).isTrue();
            }
            at = field.end();
        }
        assertThat(string(bytes, text.headerEnd(), text.bodyStart()).strip()).isEqualTo("---");
    }

    private static void checkLimits(EnvelopeText text) {
        assertThat(text.headerEnd() - text.headerStart())
                .isLessThanOrEqualTo(EnvelopeText.HEADER_BYTES_MAX);
        assertThat(text.fields()).hasSizeLessThanOrEqualTo(EnvelopeText.KEYS_MAX);
        assertThat(text.length() - text.bodyStart())
                .isLessThanOrEqualTo(EnvelopeText.BODY_BYTES_MAX);
    }

    private static Optional<Envelope> checkEnvelope(byte[] bytes) {
        Envelope envelope;
        try {
            envelope = Envelope.parse(bytes);
        } catch (MalformedEnvelopeException e) {
            assertThat(e.getMessage()).startsWith("line " + e.line() + ": ");
            return Optional.empty();
        }
        assertThat(envelope.bytes()).isEqualTo(bytes);
        assertThat(envelope.isSameMailAs(envelope)).isTrue();
        checkCompletionChangesNothing(envelope);
        checkSigning(envelope);
        checkDraftOfItsValues(envelope);
        return Optional.of(envelope);
    }

    private static void checkCompletionChangesNothing(Envelope envelope) {
        try {
            Instant never = Instant.EPOCH;
            assertThat(Envelope.complete(envelope.bytes(), OTHER_ID, never)).isEqualTo(envelope);
        } catch (MalformedEnvelopeException e) {
            throw new AssertionError("completing a complete envelope", e);
        }
    }

    /// Whatever was accepted can be signed, if there is room for the signature, and the signature
    /// then holds.
    private static void checkSigning(Envelope envelope) {
        boolean hasRoom =
                envelope.text().headerEnd() < EnvelopeText.HEADER_BYTES_MAX - 200
                        && envelope.text().fields().size() < EnvelopeText.KEYS_MAX - 2;
        if (!hasRoom) {
            return;
        }
        Envelope signed = SIGNER.sign(envelope);
        Key key = Key.of(SIGNER, List.of(envelope.from()));
        TrustList trust = new TrustList(List.of(key));
        Instant now = Instant.EPOCH;
        if (envelope.consent() != Consent.PUBLIC) {
            assertThat(trust.check(signed, now, SignaturePolicy.REQUIRED))
                    .isEqualTo(new SignatureCheck.Valid(key.kid(), envelope.from(), false));
        }
        assertThat(signed.body()).isEqualTo(envelope.body());
        assertThat(signed.isSameMailAs(envelope)).isTrue();
        if (envelope.signature().isEmpty()) {
            assertThat(trust.check(envelope, now, SignaturePolicy.OPTIONAL))
                    .isInstanceOf(SignatureCheck.Bad.class);
        }
    }

    /// Every value that can be read can be written, and is read again as the same.
    private static void checkDraftOfItsValues(Envelope envelope) {
        EnvelopeDraft draft =
                Envelope.draft(envelope.from(), envelope.to(), envelope.lane(), envelope.topic())
                        .id(envelope.id())
                        .ts(envelope.ts())
                        .priority(envelope.priority())
                        .ttl(envelope.ttl())
                        .consent(envelope.consent())
                        .tags(envelope.tags())
                        .attachments(envelope.attachments())
                        .hops(envelope.hops())
                        .body(envelope.body());
        envelope.scope().ifPresent(draft::scope);
        envelope.replyTo().ifPresent(draft::replyTo);
        envelope.correlationId().ifPresent(draft::correlationId);
        envelope.traceparent().ifPresent(draft::traceparent);
        envelope.fromOrigin().ifPresent(draft::fromOrigin);
        envelope.ask().ifPresent(draft::ask);
        envelope.answer().ifPresent(draft::answer);
        Envelope written;
        try {
            written = draft.seal();
        } catch (IllegalArgumentException e) {
            // Quoting may make it longer than a header may be; nothing else may go wrong.
            assertThat(e).hasMessageContaining("header: found more than");
            return;
        }
        assertThat(written.hashMatches()).isTrue();
        assertThat(values(written)).isEqualTo(values(envelope));
    }

    private static List<Object> values(Envelope envelope) {
        return List.of(
                envelope.id(),
                envelope.from(),
                envelope.to(),
                envelope.lane(),
                envelope.topic(),
                envelope.priority(),
                envelope.ttl(),
                envelope.consent(),
                envelope.scope(),
                envelope.replyTo(),
                envelope.correlationId(),
                envelope.tags(),
                envelope.attachments(),
                envelope.traceparent(),
                envelope.fromOrigin(),
                envelope.ask().map(EnvelopeLaws::toTheMillisecond),
                envelope.answer(),
                envelope.hops(),
                ByteList.of(envelope.body()));
    }

    private static Ask toTheMillisecond(Ask ask) {
        Instant deadline = ask.deadline();
        return new Ask(
                ask.choices(),
                ask.free(),
                ask.fallback(),
                deadline == null ? null : deadline.truncatedTo(ChronoUnit.MILLIS),
                ask.of());
    }

    /// Selection's light look at a prefix and the whole reading say the same.
    private static void checkHeaderAgrees(byte[] bytes, Optional<Envelope> envelope) {
        int length = Math.min(bytes.length, EnvelopeText.PREFIX_BYTES_MAX);
        byte[] prefix = Arrays.copyOf(bytes, EnvelopeText.PREFIX_BYTES_MAX);
        Header header;
        try {
            header = Header.parse(prefix, length);
        } catch (MalformedEnvelopeException e) {
            assertThat(envelope).as("%s", e.getMessage()).isEmpty();
            grammarError(bytes).ifPresent(error -> assertThat(e).hasMessage(error));
            return;
        }
        assertThat(grammarError(bytes)).as("values that nobody asks for are checked").isEmpty();
        if (envelope.isPresent()) {
            Envelope whole = envelope.get();
            assertThat(header)
                    .isEqualTo(
                            new Header(
                                    whole.id(),
                                    whole.ts(),
                                    whole.from(),
                                    whole.lane(),
                                    whole.topic(),
                                    whole.priority(),
                                    whole.ttl(),
                                    whole.consent(),
                                    whole.hash(),
                                    whole.signature().isPresent(),
                                    whole.text().field("ask").isPresent(),
                                    whole.text().field("answer").isPresent(),
                                    whole.text().bodyStart()));
        }
    }

    private static Optional<String> grammarError(byte[] bytes) {
        try {
            EnvelopeText _ = EnvelopeText.parseHeader(bytes, bytes.length);
            return Optional.empty();
        } catch (MalformedEnvelopeException e) {
            return Optional.of(e.getMessage());
        }
    }

    private static int lineNumber(byte[] bytes, int at) {
        int line = 1;
        for (int i = 0; i < at; i++) {
            line += bytes[i] == '\n' ? 1 : 0;
        }
        return line;
    }

    private static String string(byte[] bytes, int start, int end) {
        return new String(bytes, start, end - start, StandardCharsets.UTF_8);
    }

    private record ByteList(String latin1) {
        static ByteList of(byte[] bytes) {
            return new ByteList(new String(bytes, StandardCharsets.ISO_8859_1));
        }
    }
}
