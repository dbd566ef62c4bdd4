package dev.pheromone.envelope;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.HeaderScanner.Extent;

import java.time.Instant;

/// What selection needs to know of an envelope, read from its header alone.
///
/// The whole header's grammar is checked, but only these fields' values: whoever claims the
/// envelope reads all of it.
///
/// @param question whether there is a field `ask`, whatever it says
/// @param answer whether there is a field `answer`, whatever it says
/// @param bodyStart where the body begins in the file
public record Header(
        EnvelopeId id,
        Instant ts,
        Actor from,
        Lane lane,
        String topic,
        Priority priority,
        Ttl ttl,
        Consent consent,
        ContentHash hash,
        boolean signed,
        boolean question,
        boolean answer,
        int bodyStart) {

    /// Reads the header in the first `length` bytes of `prefix`: the whole file, or at least
    /// [EnvelopeText#PREFIX_BYTES_MAX] of it. The array may be reused afterwards.
    public static Header parse(byte[] prefix, int length) throws MalformedEnvelopeException {
        EnvelopeText text = EnvelopeText.parseHeader(prefix, length, Extent.HEADER);
        HeaderFields fields = new HeaderFields(text);
        Consent consent = fields.optional(FieldName.CONSENT, Consent::parse);
        return new Header(
                fields.id(),
                fields.ts(),
                fields.from(),
                fields.lane(),
                fields.topic(),
                fields.priority(),
                fields.ttl(),
                consent == null ? Consent.TEAM : consent,
                fields.hash(),
                fields.find(FieldName.SIG) != null,
                fields.find(FieldName.ASK) != null,
                fields.find(FieldName.ANSWER) != null,
                text.bodyStart());
    }

    /// The same of an envelope that was read as a whole.
    public static Header of(Envelope envelope) {
        return new Header(
                envelope.id(),
                envelope.ts(),
                envelope.from(),
                envelope.lane(),
                envelope.topic(),
                envelope.priority(),
                envelope.ttl(),
                envelope.consent(),
                envelope.hash(),
                envelope.signature().isPresent(),
                envelope.text().find(FieldName.ASK) != null,
                envelope.text().find(FieldName.ANSWER) != null,
                envelope.size() - envelope.body().length);
    }

    /// When its time to live is over, by the sender's clock.
    public Instant expiresAt() {
        return ts.plus(ttl.duration());
    }
}
