package dev.pheromone.mqtt;

import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;

import dev.pheromone.Domain;
import dev.pheromone.Envelope;
import dev.pheromone.EnvelopeText;
import dev.pheromone.MalformedEnvelopeException;
import dev.pheromone.Reach;
import dev.pheromone.Recipients;
import dev.pheromone.SendResult;
import dev.pheromone.SignatureCheck;
import dev.pheromone.life.Acceptance;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// What is asked of a message before its receiver gets it. Anybody who reaches the broker can
/// publish anything.
///
/// Signatures are left to the receiver, whose trusted keys change while it receives.
record MailCheck(MqttOptions options, Reach reach) {

    /// A message that was looked at.
    ///
    /// @param envelope null if the message is none
    /// @param answer why the receiver does not get it; null if it does
    record Checked(@Nullable Envelope envelope, @Nullable SendResult answer) {}

    /// @throws IOException if it can't be checked now
    Checked check(Mqtt5Publish message, Domain inbox, Instant now) throws IOException {
        byte[] bytes = message.getPayloadAsBytes();
        if (bytes.length > EnvelopeText.ENVELOPE_BYTES_MAX) {
            return new Checked(
                    null,
                    rejected(
                            "envelope: found "
                                    + bytes.length
                                    + " bytes, expected at most "
                                    + EnvelopeText.ENVELOPE_BYTES_MAX));
        }
        Envelope envelope;
        try {
            envelope = Envelope.parse(bytes);
        } catch (MalformedEnvelopeException e) {
            return new Checked(null, rejected("envelope: " + e.getMessage()));
        }
        List<Acceptance.Objection> objections =
                Acceptance.objections(
                        envelope, now, new SignatureCheck.Unsigned(), inbox, options.config());
        if (!objections.isEmpty()) {
            return new Checked(envelope, rejected(objections.getFirst().toString()));
        }
        if (!now.isBefore(envelope.expiresAt())) {
            return new Checked(envelope, rejected("expired: ttl " + envelope.ttl() + " is over"));
        }
        Optional<SendResult> refusal = Recipients.refusal(envelope, reach, options.publicCheck());
        return new Checked(envelope, refusal.orElse(null));
    }

    private static SendResult rejected(String reason) {
        return new SendResult.Failed(new RefusedException(reason));
    }
}
