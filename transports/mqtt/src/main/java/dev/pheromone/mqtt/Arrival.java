package dev.pheromone.mqtt;

import dev.pheromone.Carrier;
import dev.pheromone.Recipients;
import dev.pheromone.SendResult;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeText;
import dev.pheromone.envelope.MalformedEnvelopeException;
import dev.pheromone.life.Acceptance;
import dev.pheromone.trust.SignatureCheck;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// A message that came for an inbox, and what became of the mail in it.
///
/// @param envelope null if the message is no envelope
record Arrival(@Nullable Envelope envelope, SendResult result) {

    /// Checks a message, since anybody who reaches the broker can publish anything, and hands what
    /// stands up to `receiver`. Signatures are left to the receiver, whose trusted keys change
    /// while it receives.
    ///
    /// @throws IOException if the message can't be checked or stored now
    static Arrival of(
            byte[] message,
            Domain inbox,
            MqttOptions options,
            Instant now,
            Carrier.Receiver receiver)
            throws IOException {
        if (message.length > EnvelopeText.ENVELOPE_BYTES_MAX) {
            return rejected(
                    null,
                    "envelope: found %d bytes, expected at most %d"
                            .formatted(message.length, EnvelopeText.ENVELOPE_BYTES_MAX));
        }
        Envelope envelope;
        try {
            envelope = Envelope.parse(message);
        } catch (MalformedEnvelopeException e) {
            return rejected(null, "envelope: " + e.getMessage());
        }
        List<Acceptance.Objection> objections =
                Acceptance.objections(
                        envelope, now, new SignatureCheck.Unsigned(), inbox, options.config);
        if (!objections.isEmpty()) {
            return rejected(envelope, objections.getFirst().toString());
        }
        Optional<SendResult> refusal = refusal(envelope, options, now);
        return new Arrival(
                envelope, refusal.isPresent() ? refusal.get() : receiver.answer(envelope, inbox));
    }

    private static Arrival rejected(@Nullable Envelope envelope, String reason) {
        return new Arrival(envelope, rejected(reason));
    }

    private static SendResult rejected(String reason) {
        return new SendResult.Rejected(SendResult.Ground.THE_MAIL, reason);
    }

    /// Why an envelope goes over the broker in neither direction; empty if it may.
    static Optional<SendResult> refusal(Envelope envelope, MqttOptions options, Instant now)
            throws IOException {
        return now.isBefore(envelope.expiresAt())
                ? Recipients.refusal(envelope, options.reach, options.publicCheck)
                : Optional.of(rejected("expired: ttl " + envelope.ttl() + " is over"));
    }

    /// What the receiver's answer means for the copy.
    Carrier.Fate fate() {
        return Carrier.Fate.of(result);
    }
}
