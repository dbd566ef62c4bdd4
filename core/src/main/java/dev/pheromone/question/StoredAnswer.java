package dev.pheromone.question;

import dev.pheromone.address.Actor;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.trust.SignatureCheck;

import java.time.Instant;

/// An answer as it was stored where its question said that answers go.
///
/// @param id of the mail that brought it
/// @param storedAt when that mail was stored, by the clock of the asker's hive
/// @param hashMatches whether its body is the one that its hash names
/// @param check what its signature was worth when it was stored
/// @param hasTaken whether its sender had taken the question, as those must who are asked by the
///   name of a domain
/// @param isAsserted whether a passkey of its sender stands for it
public record StoredAnswer(
        EnvelopeId id,
        Actor from,
        String text,
        Instant storedAt,
        boolean hashMatches,
        SignatureCheck check,
        boolean hasTaken,
        boolean isAsserted) {

    /// What `mail` brought.
    ///
    /// @param text what it answers
    public static StoredAnswer of(
            Envelope mail,
            String text,
            Instant storedAt,
            SignatureCheck check,
            boolean hasTaken,
            boolean isAsserted) {
        return new StoredAnswer(
                mail.id(),
                mail.from(),
                text,
                storedAt,
                mail.hashMatches(),
                check,
                hasTaken,
                isAsserted);
    }
}
