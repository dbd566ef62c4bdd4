package dev.pheromone.config;

import dev.pheromone.envelope.KeyId;
import dev.pheromone.trust.KeyBytes;

import java.io.IOException;
import java.util.Optional;

/// The shared secrets that this machine has. They are never in a hive: a trusted HMAC key has only
/// its name there.
public interface Secrets {

    /// The shared secret of this name, if there is one.
    Optional<KeyBytes> find(KeyId kid) throws IOException;

    /// For whoever has none.
    static Secrets none() {
        return _ -> Optional.empty();
    }
}
