package dev.pheromone.session.passkey;

import dev.pheromone.trust.KeyBytes;

/// A passkey that a browser has just made, with somebody there whom it verified.
///
/// @param synced whether it may be copied to other devices
/// @param count how often its authenticator has signed
public record NewPasskey(KeyBytes credential, KeyBytes publicKey, boolean synced, long count) {

    /// The passkey that `shown` tells of.
    public static NewPasskey of(Registration shown, Challenge challenge, String origin)
            throws RefusedException {
        return WebAuthn.register(shown, challenge.bytes(), origin);
    }
}
