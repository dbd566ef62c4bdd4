package dev.pheromone.trust;

import dev.pheromone.address.Actor;
import dev.pheromone.envelope.KeyId;

import org.jspecify.annotations.Nullable;

import java.time.Instant;

/// A person's passkey that a hive trusts: what WebAuthn calls a credential. It signs no mail; with
/// an assertion it proves that a person meant one deed.
///
/// @param credential the id by which the authenticator knows it
/// @param publicKey its public half, as COSE has it
/// @param actor the person
/// @param synced whether it may be copied to other devices of the person, which never changes
/// @param revoked when it was given up, if it was; what it asserted earlier stays as good as it was
public record Passkey(
        KeyId kid,
        KeyBytes credential,
        KeyBytes publicKey,
        Actor actor,
        boolean synced,
        @Nullable Instant revoked) {

    /// The most that WebAuthn allows.
    public static final int CREDENTIAL_BYTES_MAX = 1_023;

    /// An RSA key of 4,096 bits has 526.
    private static final int PUBLIC_BYTES_MAX = 1_024;

    public Passkey {
        checkLength(kid, "credential", credential, CREDENTIAL_BYTES_MAX);
        checkLength(kid, "public", publicKey, PUBLIC_BYTES_MAX);
    }

    private static void checkLength(KeyId kid, String field, KeyBytes bytes, int max) {
        if (bytes.length() == 0 || bytes.length() > max) {
            throw new IllegalArgumentException(
                    "passkey %s: %s: found %d bytes, expected 1 to %d"
                            .formatted(kid, field, bytes.length(), max));
        }
    }

    /// This passkey, given up at `at`.
    public Passkey revokedAt(Instant at) {
        return new Passkey(kid, credential, publicKey, actor, synced, at);
    }

    /// Whether nobody has given it up.
    public boolean isLive(Instant now) {
        return revoked == null || now.isBefore(revoked);
    }
}
