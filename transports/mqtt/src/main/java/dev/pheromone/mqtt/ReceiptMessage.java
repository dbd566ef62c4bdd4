package dev.pheromone.mqtt;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.datatypes.Mqtt5UserProperty;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;

import dev.pheromone.SendResult;
import dev.pheromone.SendResultJson;
import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.KeyId;
import dev.pheromone.envelope.Signature;
import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;
import dev.pheromone.trust.SignatureCheck;
import dev.pheromone.trust.Signer;

import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Optional;

/// What a receiver says about one message, as JSON: which copy it was, what became of it, and who
/// says so. Where the receiver has a key, the user properties `kid` and `sig` sign the JSON.
///
/// @param correlation the correlation data of that message, in hexadecimal: an old receipt says
///   nothing about a new message
/// @param id null if the message was no envelope
/// @param hash null if the message was no envelope
record ReceiptMessage(
        Domain inbox,
        String correlation,
        @Nullable EnvelopeId id,
        @Nullable ContentHash hash,
        Word word,
        Actor by) {

    /// A receipt is short; longer texts are no receipts.
    private static final int BYTES_MAX = 4 * 1024;

    /// What there is to say of a copy.
    sealed interface Word {
        /// What became of it when it came.
        record Came(SendResult result) implements Word {}

        /// How its life ended, for a sender who asked.
        record Ended(State state) implements Word {}
    }

    private byte[] bytes() {
        Json.Obj json = Json.obj().put("inbox", inbox.name()).put("correlation", correlation);
        if (id != null && hash != null) {
            json = json.put("id", id.text()).put("hash", hash.toString());
        }
        json =
                switch (word) {
                    case Word.Came(var result) -> json.putAll(SendResultJson.write(result));
                    case Word.Ended(var state) -> json.put("ended", state.toString());
                };
        return json.put("by", by.name()).toString().getBytes(StandardCharsets.UTF_8);
    }

    /// The message that brings this receipt to the sender who listens at `topic`.
    Mqtt5Publish to(String topic, @Nullable Signer signer) {
        byte[] bytes = bytes();
        var builder =
                Mqtt5Publish.builder()
                        .topic(topic)
                        .qos(MqttQos.AT_LEAST_ONCE)
                        .contentType("application/json")
                        .correlationData(HexFormat.of().parseHex(correlation))
                        .payload(bytes);
        if (signer != null) {
            builder =
                    builder.userProperties()
                            .add("kid", signer.kid().name())
                            .add("sig", signer.sign(Signature.Purpose.RECEIPT, bytes).toString())
                            .applyUserProperties();
        }
        return builder.build();
    }

    /// The receipt that came with `message`, if it can be believed.
    ///
    /// @throws IllegalArgumentException if it is no receipt, or nobody's that counts
    static ReceiptMessage read(Mqtt5Publish message, MqttOptions options, Instant now) {
        byte[] bytes = message.getPayloadAsBytes();
        ReceiptMessage receipt = parse(bytes);
        if (!options.receivers.isEmpty() && !options.receivers.contains(receipt.by())) {
            throw new IllegalArgumentException(
                    "receipt: found one by " + receipt.by() + ", expected another receiver's");
        }
        Optional<KeyId> kid = property(message, "kid").map(KeyId::parse);
        Optional<Signature> sig = property(message, "sig").map(Signature::parse);
        // Signed with a key that nobody here knows, a receipt is worth what an unsigned one is.
        boolean isSigned = sig.isPresent() && kid.flatMap(options.trust::find).isPresent();
        SignatureCheck check =
                options.trust.check(
                        Signature.Purpose.RECEIPT,
                        bytes,
                        receipt.by(),
                        isSigned ? sig.get() : null,
                        isSigned ? kid.get() : null,
                        now);
        if (check instanceof SignatureCheck.Bad(var reason)) {
            throw new IllegalArgumentException("receipt: " + reason);
        }
        return receipt;
    }

    /// Correlation data as a receipt repeats it.
    static String hex(ByteBuffer correlation) {
        byte[] bytes = new byte[correlation.remaining()];
        correlation.duplicate().get(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /// The first user property of that name.
    static Optional<String> property(Mqtt5Publish message, String name) {
        return message.getUserProperties().asList().stream()
                .filter(property -> property.getName().toString().equals(name))
                .map(Mqtt5UserProperty::getValue)
                .map(Object::toString)
                .findFirst();
    }

    private static ReceiptMessage parse(byte[] bytes) {
        if (bytes.length > BYTES_MAX) {
            throw new IllegalArgumentException(
                    "receipt: found " + bytes.length + " bytes, expected at most " + BYTES_MAX);
        }
        try {
            if (!(Json.parse(bytes) instanceof Json.Obj json)) {
                throw new IllegalArgumentException("receipt: found no object, expected one");
            }
            Domain inbox = Domain.parse(json.text("inbox"));
            return new ReceiptMessage(
                    inbox,
                    json.text("correlation"),
                    json.optionalText("id").map(EnvelopeId::parse).orElse(null),
                    json.optionalText("hash").map(ContentHash::parse).orElse(null),
                    json.has("ended")
                            ? new Word.Ended(State.parse(json.text("ended")))
                            : new Word.Came(SendResultJson.read(json, "inbox " + inbox)),
                    Actor.parse(json.text("by")));
        } catch (MalformedJsonException e) {
            throw new IllegalArgumentException("receipt: " + e.getMessage(), e);
        }
    }

    /// Whether this is about a copy of `envelope` in the inbox `target`.
    boolean isAbout(Envelope envelope, Domain target) {
        return inbox.equals(target)
                && (id == null || id.equals(envelope.id()))
                && (hash == null || hash.equals(envelope.hash()));
    }
}
