package dev.pheromone.mqtt;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;

import dev.pheromone.AwayException;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// Who receives for an inbox, as the broker retains it: cleared by a receiver that leaves, and by
/// the will of a receiver that vanishes.
///
/// @param session tells one stay from another, of the same receiver too
record Presence(Actor by, Instant since, String session) {

    /// A presence is short; longer texts are none.
    private static final int BYTES_MAX = 1024;

    /// This presence as that of a receiver that came later than `other`, whatever their clocks say.
    Presence after(Presence other) {
        Instant later = other.since().plusMillis(1);
        return since.isBefore(later) ? new Presence(by, later, session) : this;
    }

    /// Whether `other` took the place of this receiver. A broker that was killed may remember a
    /// receiver that was there before.
    boolean isReplacedBy(Presence other) {
        return !session.equals(other.session()) && other.since().isAfter(since);
    }

    Mqtt5Publish at(String topic) {
        Json.Obj json =
                Json.obj()
                        .put("by", by.name())
                        .put("since_at", IsoTime.format(since))
                        .put("session", session);
        return retained(topic, json.toString().getBytes(StandardCharsets.UTF_8));
    }

    /// The message that clears what is retained under `topic`.
    static Mqtt5Publish cleared(String topic) {
        return retained(topic, new byte[0]);
    }

    private static Mqtt5Publish retained(String topic, byte[] payload) {
        return Mqtt5Publish.builder()
                .topic(topic)
                .qos(MqttQos.AT_LEAST_ONCE)
                .retain(true)
                .payload(payload)
                .build();
    }

    /// Passes `problem` on, unless it is a retained message that can't be read. Such a message is
    /// nobody's presence, and the next receiver replaces it by its own.
    static void requireUnreadable(AwayException problem) throws AwayException {
        if (!BrokerProblem.isUnreadable(problem)) {
            throw problem;
        }
    }

    /// The receivers among retained messages.
    static Map<Domain, Presence> among(Map<String, byte[]> retained, Topics topics) {
        Map<Domain, Presence> present = new TreeMap<>();
        retained.forEach((topic, payload) ->
                topics.inboxOfPresence(topic)
                        .ifPresent(
                                inbox -> parse(payload).ifPresent(one -> present.put(inbox, one))));
        return present;
    }

    private static Optional<Presence> parse(byte[] payload) {
        try {
            return payload.length <= BYTES_MAX && Json.parse(payload) instanceof Json.Obj json
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

    /// Who it is, and since when.
    @Override
    public String toString() {
        return by + " (since " + IsoTime.format(since) + ")";
    }
}
