package dev.pheromone;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.trust.SignatureCheck;

import java.time.Instant;

/// An envelope that one worker holds.
///
/// @param token names this claim and no other, past or future: whoever settles shows it, so that a
///   worker that lost its lease can't end another's work
public record Claim(
        String token,
        Envelope envelope,
        Domain inbox,
        Actor worker,
        int attempt,
        Instant claimedAt,
        Instant leaseEndsAt,
        SignatureCheck signature,
        String rationale,
        String location) {}
