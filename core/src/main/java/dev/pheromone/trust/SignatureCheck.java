package dev.pheromone.trust;

import dev.pheromone.address.Actor;
import dev.pheromone.envelope.KeyId;

/// What looking at an envelope's signature showed.
public sealed interface SignatureCheck {

    /// The owner of a trusted key vouches for the envelope.
    ///
    /// @param human whether the owner is a person
    record Valid(KeyId kid, Actor actor, boolean human) implements SignatureCheck {}

    /// Nobody vouches for it, and nobody has to.
    record Unsigned() implements SignatureCheck {}

    /// It must not be delivered.
    record Bad(String reason) implements SignatureCheck {}
}
