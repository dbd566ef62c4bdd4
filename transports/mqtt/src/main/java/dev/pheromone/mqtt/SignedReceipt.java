package dev.pheromone.mqtt;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.datatypes.Mqtt5UserProperties;
import com.hivemq.client.mqtt.mqtt5.datatypes.Mqtt5UserProperty;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;

import dev.pheromone.KeyId;
import dev.pheromone.Signature;
import dev.pheromone.SignatureCheck;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.HexFormat;

/// A receipt on its way: the bytes of a [ReceiptMessage], with a signature of them in the user
/// properties `kid` and `sig` where the receiver has a key.
final class SignedReceipt {

    private static final String KID = "kid";
    private static final String SIG = "sig";
    private static final String CONTENT_TYPE = "application/json";

    private SignedReceipt() {}

    /// The message that brings `receipt` to the sender who listens at `topic`.
    static Mqtt5Publish write(ReceiptMessage receipt, String topic, MqttOptions options) {
        byte[] bytes = receipt.bytes();
        var builder =
                Mqtt5Publish.builder()
                        .topic(topic)
                        .qos(MqttQos.AT_LEAST_ONCE)
                        .contentType(CONTENT_TYPE)
                        .correlationData(HexFormat.of().parseHex(receipt.correlation()))
                        .payload(bytes);
        if (options.signer == null) {
            return builder.build();
        }
        Signature signature = options.signer.sign(Signature.Purpose.RECEIPT, bytes);
        return builder.userProperties(
                        Mqtt5UserProperties.of(
                                Mqtt5UserProperty.of(KID, options.signer.kid().name()),
                                Mqtt5UserProperty.of(SIG, signature.toString())))
                .build();
    }

    /// The receipt that came with `message`, if it can be believed.
    ///
    /// @throws IllegalArgumentException if it is no receipt, or nobody's that counts
    static ReceiptMessage read(Mqtt5Publish message, MqttOptions options, Instant now) {
        byte[] bytes = message.getPayloadAsBytes();
        ReceiptMessage receipt = ReceiptMessage.parse(bytes);
        if (!options.receivers.isEmpty() && !options.receivers.contains(receipt.by())) {
            throw new IllegalArgumentException(
                    "receipt: found one by " + receipt.by() + ", expected another receiver's");
        }
        String kid = property(message, KID);
        String sig = property(message, SIG);
        // Signed with a key that nobody here knows, it is worth what an unsigned one is.
        boolean isSigned =
                kid != null && sig != null && options.trust.find(KeyId.parse(kid)).isPresent();
        SignatureCheck check =
                options.trust.check(
                        Signature.Purpose.RECEIPT,
                        bytes,
                        receipt.by(),
                        isSigned ? Signature.parse(String.valueOf(sig)) : null,
                        isSigned ? KeyId.parse(String.valueOf(kid)) : null,
                        now);
        if (check instanceof SignatureCheck.Bad(var reason)) {
            throw new IllegalArgumentException("receipt: " + reason);
        }
        return receipt;
    }

    private static @Nullable String property(Mqtt5Publish message, String name) {
        for (Mqtt5UserProperty property : message.getUserProperties().asList()) {
            if (property.getName().toString().equals(name)) {
                return property.getValue().toString();
            }
        }
        return null;
    }
}
