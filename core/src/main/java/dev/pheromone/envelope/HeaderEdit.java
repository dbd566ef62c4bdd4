package dev.pheromone.envelope;

import dev.pheromone.envelope.EnvelopeText.Field;
import dev.pheromone.text.IsoTime;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;

/// Sets single lines in an envelope's header and leaves every other byte as it is.
final class HeaderEdit {

    private HeaderEdit() {}

    /// Fills in `id`, `ts` and `hash` where they are missing or empty.
    static byte[] complete(byte[] partial, EnvelopeId id, Instant ts)
            throws MalformedEnvelopeException {
        byte[] bytes = partial;
        EnvelopeText text = EnvelopeText.parse(bytes);
        if (isMissing(text, FieldName.TS)) {
            int behindId = field(text, FieldName.ID).map(Field::end).orElse(text.headerStart());
            bytes = with(text, FieldName.TS, IsoTime.format(ts), behindId);
            text = EnvelopeText.parse(bytes);
        }
        if (isMissing(text, FieldName.ID)) {
            bytes = with(text, FieldName.ID, id.toString(), text.headerStart());
            text = EnvelopeText.parse(bytes);
        }
        if (isMissing(text, FieldName.HASH)) {
            ContentHash hash =
                    ContentHash.of(bytes, text.bodyStart(), bytes.length - text.bodyStart());
            bytes = with(text, FieldName.HASH, hash.toString(), text.headerEnd());
        }
        return bytes;
    }

    /// Names the key.
    static byte[] withKid(Envelope envelope, KeyId kid) {
        EnvelopeText text = envelope.text();
        return with(text, FieldName.KID, kid.name(), beforeHash(text));
    }

    /// Puts the signature where the specification's order has it: before the hash, and its key's
    /// name between them.
    static byte[] withSignature(Envelope envelope, Signature signature) {
        EnvelopeText text = envelope.text();
        int place = field(text, FieldName.KID).map(Field::start).orElse(beforeHash(text));
        return with(text, FieldName.SIG, signature.toString(), place);
    }

    private static Optional<Field> field(EnvelopeText text, FieldName name) {
        return Optional.ofNullable(text.find(name));
    }

    private static int beforeHash(EnvelopeText text) {
        return field(text, FieldName.HASH).map(Field::start).orElse(text.headerEnd());
    }

    private static boolean isMissing(EnvelopeText text, FieldName name) {
        return field(text, name).map(Field::isEmpty).orElse(true);
    }

    /// Replaces the lines of that field, or inserts one at `place`, if there is none.
    private static byte[] with(EnvelopeText text, FieldName name, String value, int place) {
        Field old = text.find(name);
        String line = name + ": " + value + lineEnd(text);
        return old == null
                ? splice(text, place, line, place)
                : splice(text, old.start(), line, old.end());
    }

    private static byte[] splice(EnvelopeText text, int start, String middle, int end) {
        ByteArrayOutputStream spliced = new ByteArrayOutputStream(text.length() + middle.length());
        spliced.write(text.bytes(), 0, start);
        spliced.writeBytes(middle.getBytes(StandardCharsets.UTF_8));
        spliced.write(text.bytes(), end, text.length() - end);
        return spliced.toByteArray();
    }

    /// The line end that the opening line has.
    private static String lineEnd(EnvelopeText text) {
        return text.bytes()[text.headerStart() - 2] == '\r' ? "\r\n" : "\n";
    }
}
