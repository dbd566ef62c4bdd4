package dev.pheromone.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.address.Actor;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeText;
import dev.pheromone.envelope.KeyId;
import dev.pheromone.envelope.MalformedEnvelopeException;
import dev.pheromone.envelope.Signature;
import dev.pheromone.trust.Key;
import dev.pheromone.trust.KeyBytes;
import dev.pheromone.trust.SignatureCheck;
import dev.pheromone.trust.SignaturePolicy;
import dev.pheromone.trust.TrustList;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

class SignatureVectorTest {

    private static final Instant NOW = Instant.parse("2025-11-03T09:20:00Z");

    @TestFactory
    Stream<DynamicTest> signatures() {
        return CaseTests.of("signature", SignatureVectorTest::check);
    }

    private static void check(Vector vector) {
        Envelope envelope;
        try {
            envelope = Envelope.parse(vector.content());
        } catch (MalformedEnvelopeException e) {
            EnvelopeVectorTest.checkProblem(withoutKey(vector), e);
            return;
        }
        SignatureCheck found = trust(vector).check(envelope, NOW, SignaturePolicy.OPTIONAL);
        assertThat(
                        switch (found) {
                            case SignatureCheck.Valid valid -> "success";
                            case SignatureCheck.Unsigned unsigned -> "unsigned";
                            case SignatureCheck.Bad bad -> "signature failure";
                        })
                .as(found.toString())
                .isEqualTo(vector.expect());
        vector.find("preimage_sha256")
                .ifPresent(hash ->
                        assertThat(ContentHash.of(signedBytes(envelope)).hex()).isEqualTo(hash));
    }

    /// A list with the vector's key, or an empty one if the key is refused already.
    private static TrustList trust(Vector vector) {
        List<Actor> actors = vector.words("actors").stream().map(Actor::parse).toList();
        try {
            Key key =
                    new Key(
                            KeyId.parse(vector.get("kid")),
                            Signature.Algorithm.parse(vector.get("alg")),
                            KeyBytes.parseHex(vector.get("key")),
                            actors,
                            false,
                            null,
                            null);
            return new TrustList(List.of(key));
        } catch (IllegalArgumentException e) {
            assertThat(vector.name()).as(e.getMessage()).startsWith("hmac_key_");
            return TrustList.empty();
        }
    }

    /// The bytes that are signed, built from the places that the reader reports.
    private static byte[] signedBytes(Envelope envelope) {
        EnvelopeText text = envelope.text();
        EnvelopeText.Field sig = text.field("sig").orElseThrow();
        byte[] all = envelope.bytes();
        ByteArrayOutputStream header = new ByteArrayOutputStream();
        header.write(all, text.headerStart(), sig.start() - text.headerStart());
        header.write(all, sig.end(), text.headerEnd() - sig.end());
        String kid = envelope.kid().map(KeyId::name).orElse("");
        ByteArrayOutputStream signed = new ByteArrayOutputStream();
        signed.writeBytes(
                ascii(
                        "RSM-SIG-v1\n"
                                + envelope.signature().orElseThrow().algorithm()
                                + "\n"
                                + kid
                                + "\n"));
        signed.writeBytes(ascii(header.size() + "\n"));
        signed.writeBytes(header.toByteArray());
        signed.writeBytes(ascii(envelope.bodySize() + "\n"));
        signed.writeBytes(envelope.body());
        return signed.toByteArray();
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /// The same case as one of family `envelope`, where keys for signatures mean nothing.
    private static Vector withoutKey(Vector vector) {
        return vector.without("alg", "kid", "key", "actors");
    }
}
