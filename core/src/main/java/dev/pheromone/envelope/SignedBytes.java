package dev.pheromone.envelope;

import dev.pheromone.envelope.EnvelopeText.Field;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/// The bytes that a signature vouches for: the header's as they are, but for the signature's own
/// line, and the body's.
///
/// Lengths stand before both, so that nothing can move from one to the other; algorithm and key are
/// in it, so that a signature says nothing for any other.
public final class SignedBytes {

    private static final String PREFIX = "RSM-SIG-v1";

    private SignedBytes() {}

    static byte[] of(EnvelopeText text, Signature.Algorithm algorithm, @Nullable KeyId kid) {
        byte[] bytes = text.bytes();
        Field sig = text.find(FieldName.SIG);
        int cutStart = sig == null ? text.headerEnd() : sig.start();
        int cutEnd = sig == null ? text.headerEnd() : sig.end();
        int headerLength = cutStart - text.headerStart() + text.headerEnd() - cutEnd;
        int bodyLength = text.length() - text.bodyStart();

        ByteArrayOutputStream signed = new ByteArrayOutputStream(headerLength + bodyLength + 128);
        line(signed, PREFIX);
        line(signed, algorithm.toString());
        line(signed, kid == null ? "" : kid.name());
        line(signed, Integer.toString(headerLength));
        signed.write(bytes, text.headerStart(), cutStart - text.headerStart());
        signed.write(bytes, cutEnd, text.headerEnd() - cutEnd);
        line(signed, Integer.toString(bodyLength));
        signed.write(bytes, text.bodyStart(), bodyLength);
        return signed.toByteArray();
    }

    /// The bytes that a signature under `content`, which is no envelope, vouches for.
    public static byte[] of(
            Signature.Purpose purpose, byte[] content, Signature.Algorithm algorithm, KeyId kid) {
        ByteArrayOutputStream signed = new ByteArrayOutputStream(content.length + 128);
        line(signed, purpose.prefix());
        line(signed, algorithm.toString());
        line(signed, kid.name());
        line(signed, Integer.toString(content.length));
        signed.writeBytes(content);
        return signed.toByteArray();
    }

    private static void line(ByteArrayOutputStream signed, String text) {
        signed.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
        signed.write('\n');
    }
}
