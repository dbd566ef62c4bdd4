package dev.pheromone.mqtt;

import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAck;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAckRestrictions;

import dev.pheromone.envelope.EnvelopeText;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// What a broker grants to a receiver, as it says itself when a client connects.
///
/// @param sessionExpiry how long it keeps mail for a receiver that is gone
/// @param receiveMaximum how many messages of a sender it takes before it has confirmed the first
public record Grants(
        Duration sessionExpiry,
        int receiveMaximum,
        int packetBytesMax,
        boolean isRetainAvailable,
        boolean areWildcardsAvailable) {

    /// More than the properties of a message have.
    private static final int PROPERTIES_BYTES_MAX = 1024;

    /// Asks the broker.
    static Grants ask(MqttOptions options) throws IOException {
        Connection.Client who = Connection.Client.unnamed(options.sessionExpiry);
        try (Connection connection =
                Connection.open(options, who, (_, message) -> message.acknowledge())) {
            Mqtt5ConnAck answer = connection.answer();
            Mqtt5ConnAckRestrictions restrictions = answer.getRestrictions();
            connection.forget();
            return new Grants(
                    Duration.ofSeconds(
                            answer.getSessionExpiryInterval()
                                    .orElse(options.sessionExpiry.toSeconds())),
                    restrictions.getReceiveMaximum(),
                    restrictions.getMaximumPacketSize(),
                    restrictions.isRetainAvailable(),
                    restrictions.isWildcardSubscriptionAvailable());
        }
    }

    /// What is less than a hive needs, and what that means.
    List<String> troubles(MqttOptions options) {
        List<String> troubles = new ArrayList<>();
        if (sessionExpiry.compareTo(options.sessionExpiry) < 0) {
            troubles.add(
                    "the broker keeps mail for a receiver that is gone for %d s, asked for %d s"
                            .formatted(
                                    sessionExpiry.toSeconds(), options.sessionExpiry.toSeconds()));
        }
        int needed = EnvelopeText.ENVELOPE_BYTES_MAX + PROPERTIES_BYTES_MAX;
        if (packetBytesMax < needed) {
            troubles.add(
                    "the broker takes messages of at most %d bytes, an envelope may need %d"
                            .formatted(packetBytesMax, needed));
        }
        if (!isRetainAvailable) {
            troubles.add("the broker keeps no messages, so that nobody can receive");
        }
        if (!areWildcardsAvailable) {
            troubles.add("the broker knows no wildcards, so that nobody can see who receives");
        }
        return troubles;
    }
}
