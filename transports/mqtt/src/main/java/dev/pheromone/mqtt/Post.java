package dev.pheromone.mqtt;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.datatypes.Mqtt5UserProperties;
import com.hivemq.client.mqtt.mqtt5.datatypes.Mqtt5UserProperty;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5PublishBuilder;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// A message on its way to the broker or from it.
///
/// @param isKept whether the broker is to keep it as the last of its topic; or, of one that came,
///   whether it was kept since before we asked
/// @param correlation by which who asked knows the answer; empty if nobody asked
/// @param answerTo the topic for answers; empty if none is wanted
/// @param expirySeconds how long the broker keeps it; 0 for ever
// Posts are never compared, and nobody writes into the bytes.
@SuppressWarnings("ArrayRecordComponent")
record Post(
        String topic,
        byte[] payload,
        boolean isKept,
        Map<String, String> properties,
        String correlation,
        String answerTo,
        long expirySeconds) {

    private static final byte[] NOTHING = {};

    Post {
        properties = Map.copyOf(properties);
    }

    /// One that nobody keeps.
    static Post passing(String topic, byte[] payload) {
        return new Post(topic, payload, false, Map.of(), "", "", 0);
    }

    static Post kept(String topic, byte[] payload) {
        return new Post(topic, payload, true, Map.of(), "", "", 0);
    }

    /// Makes the broker forget what it keeps under `topic`.
    static Post cleared(String topic) {
        return kept(topic, NOTHING);
    }

    Post asking(String askedBy, String answers) {
        return new Post(topic, payload, isKept, properties, askedBy, answers, expirySeconds);
    }

    /// @param more what lies beside the payload; a character for which a broker may end the
    ///   connection is a question mark there
    Post with(Map<String, String> more) {
        Map<String, String> accepted = new LinkedHashMap<>();
        more.forEach((name, value) -> accepted.put(name, accepted(value)));
        return new Post(topic, payload, isKept, accepted, correlation, answerTo, expirySeconds);
    }

    private static String accepted(String value) {
        StringBuilder text = new StringBuilder();
        value.codePoints().forEach(c -> text.appendCodePoint(isAccepted(c) ? c : '?'));
        return text.toString();
    }

    /// Neither a control character, nor half of one, nor a code point that never is one.
    private static boolean isAccepted(int c) {
        boolean isNoCharacter = (c & 0xFFFE) == 0xFFFE || (c >= 0xFDD0 && c <= 0xFDEF);
        return !isNoCharacter
                && !Character.isISOControl(c)
                && Character.getType(c) != Character.SURROGATE;
    }

    Post expiringAfter(long seconds) {
        return new Post(topic, payload, isKept, properties, correlation, answerTo, seconds);
    }

    boolean isEmpty() {
        return payload.length == 0;
    }

    static Post of(Mqtt5Publish publish) {
        Map<String, String> properties = new LinkedHashMap<>();
        publish.getUserProperties()
                .asList()
                .forEach(
                        one -> properties.put(one.getName().toString(), one.getValue().toString()));
        return new Post(
                publish.getTopic().toString(),
                publish.getPayloadAsBytes(),
                publish.isRetain(),
                properties,
                publish.getCorrelationData().map(Post::text).orElse(""),
                publish.getResponseTopic().map(Object::toString).orElse(""),
                publish.getMessageExpiryInterval().orElse(0));
    }

    private static String text(ByteBuffer bytes) {
        return StandardCharsets.UTF_8.decode(bytes).toString();
    }

    Mqtt5Publish toPublish(MqttQos qos) {
        List<Mqtt5UserProperty> all =
                properties.entrySet().stream()
                        .map(one -> Mqtt5UserProperty.of(one.getKey(), one.getValue()))
                        .toList();
        Mqtt5PublishBuilder.Complete publish =
                Mqtt5Publish.builder()
                        .topic(topic)
                        .payload(payload)
                        .qos(qos)
                        .retain(isKept)
                        .userProperties(Mqtt5UserProperties.of(all));
        if (!correlation.isEmpty()) {
            publish = publish.correlationData(correlation.getBytes(StandardCharsets.UTF_8));
        }
        if (!answerTo.isEmpty()) {
            publish = publish.responseTopic(answerTo);
        }
        if (expirySeconds > 0) {
            publish = publish.messageExpiryInterval(expirySeconds);
        }
        return publish.build();
    }
}
