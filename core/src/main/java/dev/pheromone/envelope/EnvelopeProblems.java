package dev.pheromone.envelope;

import dev.pheromone.address.Address;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// All that is wrong with bytes that should be an envelope: every field that does not fit, where
/// [Envelope#parse] stops at the first.
///
/// @param malformed one for each field; if the header's form is wrong, that alone
/// @param hashMatches whether the body is the one that the header's hash names; empty if nobody can
///   tell
public record EnvelopeProblems(
        List<MalformedEnvelopeException> malformed, Optional<Boolean> hashMatches) {

    public EnvelopeProblems {
        malformed = List.copyOf(malformed);
    }

    private interface Reading {
        Object read() throws MalformedEnvelopeException;
    }

    /// What is wrong with `bytes`; nothing, if they are an envelope.
    public static EnvelopeProblems in(byte[] bytes) {
        EnvelopeText text;
        try {
            text = EnvelopeText.parse(bytes);
        } catch (MalformedEnvelopeException e) {
            return new EnvelopeProblems(List.of(e), Optional.empty());
        }
        List<MalformedEnvelopeException> malformed = new ArrayList<>();
        HeaderFields fields = new HeaderFields(text);
        // The order in which an envelope reads them, so that the first is the one that it tells.
        List<Reading> readings =
                List.of(
                        fields::id,
                        fields::ts,
                        fields::from,
                        fields::to,
                        () -> maybe(fields.optional(FieldName.REPLY_TO, Address::parse)),
                        () -> maybe(fields.optional(FieldName.CORRELATION_ID, EnvelopeId::parse)),
                        fields::lane,
                        fields::topic,
                        fields::priority,
                        fields::ttl,
                        () -> maybe(fields.optional(FieldName.SCOPE, HeaderFields::parseText)),
                        () -> maybe(fields.optional(FieldName.CONSENT, Consent::parse)),
                        () -> maybe(fields.signature()),
                        fields::hash,
                        () -> fields.list(FieldName.TAGS, HeaderFields::parseText),
                        () -> maybe(fields.optional(FieldName.KID, KeyId::parse)),
                        () -> fields.list(FieldName.ATTACHMENTS, Attachment::parse),
                        () -> maybe(fields.optional(FieldName.HOPS, HeaderFields::parseHops)));
        for (Reading reading : readings) {
            try {
                var _ = reading.read();
            } catch (MalformedEnvelopeException e) {
                malformed.add(e);
            }
        }
        return new EnvelopeProblems(malformed, hashMatches(text, fields));
    }

    private static Optional<Boolean> hashMatches(EnvelopeText text, HeaderFields fields) {
        try {
            int size = text.bytes().length - text.bodyStart();
            return Optional.of(
                    ContentHash.of(text.bytes(), text.bodyStart(), size).equals(fields.hash()));
        } catch (MalformedEnvelopeException e) {
            return Optional.empty();
        }
    }

    private static <T> Optional<T> maybe(@Nullable T value) {
        return Optional.ofNullable(value);
    }
}
