package dev.pheromone.mqtt;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;

import dev.pheromone.Actor;
import dev.pheromone.IsoTime;
import dev.pheromone.Json;
import dev.pheromone.MalformedJsonException;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;

/// Who receives for an inbox, as the broker keeps it: a retained message, which is cleared by who
/// leaves, and by the will of who vanishes.
///
/// @param session tells one stay from another, of the same receiver too
record Presence(Actor by, Instant since, String session) {

    /// A presence is short; longer texts are none.
    private static final int BYTES_MAX = 1024;

    Mqtt5Publish at(String topic) {
        Json.Obj json =
                Json.obj()
                        .put("by", by.name())
                        .put("since_at", IsoTime.format(since))
                        .put("session", session);
        return message(topic, json.toString().getBytes(StandardCharsets.UTF_8));
    }

    /// Who it is, and since when.
    String description() {
        return by + " (since " + IsoTime.format(since) + ")";
    }

    /// The message that clears a presence.
    static Mqtt5Publish cleared(String topic) {
        return message(topic, new byte[0]);
    }

    private static Mqtt5Publish message(String topic, byte[] payload) {
        return Mqtt5Publish.builder()
                .topic(topic)
                .qos(MqttQos.AT_LEAST_ONCE)
                .retain(true)
                .payload(payload)
                .build();
    }

    /// The presence that a message tells of; empty if nobody is there, or something else is.
    static Optional<Presence> parse(byte[] payload) {
        if (payload.length == 0 || payload.length > BYTES_MAX) {
            return Optional.empty();
        }
        try {
            return Json.parse(payload) instanceof Json.Obj json
                    ? Optional.of(
                            new Presence(
                                    Actor.parse(json.text("by")),
                                    Instant.parse(json.text("since_at")),
                                    json.text("session")))
                    : Optional.empty();
        } catch (MalformedJsonException | IllegalArgumentException | DateTimeException e) {
            return Optional.empty();
        }
    }
}
