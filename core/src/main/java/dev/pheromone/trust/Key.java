package dev.pheromone.trust;

import dev.pheromone.address.Actor;
import dev.pheromone.envelope.KeyId;
import dev.pheromone.envelope.Signature;
import dev.pheromone.envelope.SignedBytes;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;

/// What is known of a key besides its owner's private half: how it signs, and who may use it.
///
/// @param material the public key; for HMAC the shared secret, or null where this machine does not
///   have it
/// @param actors who may sign with it
/// @param human whether its owner is a person, whose signature carries authority
/// @param expires from when on it is no longer good, if ever
/// @param revoked when it was given up, if it was; nothing it ever signed is good from then on
public record Key(
        KeyId kid,
        Signature.Algorithm algorithm,
        @Nullable KeyBytes material,
        List<Actor> actors,
        boolean human,
        @Nullable Instant expires,
        @Nullable Instant revoked) {

    public Key {
        actors = List.copyOf(actors);
        if (actors.isEmpty()) {
            throw new IllegalArgumentException(
                    "key " + kid + " has no actors, expected at least one");
        }
        checkMaterial(kid, algorithm, material);
        if (human && algorithm == Signature.Algorithm.HMAC) {
            // Whoever can check it could have made it.
            throw new IllegalArgumentException(
                    "key " + kid + " is a shared secret, expected ed25519 for a person's");
        }
    }

    /// A key for checking what `signer` signs.
    public static Key of(Signer signer, List<Actor> actors) {
        byte[] material =
                switch (signer.algorithm()) {
                    case ED25519 -> signer.publicKey();
                    case HMAC -> signer.secret();
                };
        KeyBytes bytes = KeyBytes.of(material);
        return new Key(signer.kid(), signer.algorithm(), bytes, actors, false, null, null);
    }

    /// This key with its public half or secret.
    public Key withMaterial(KeyBytes material) {
        return new Key(kid, algorithm, material, actors, human, expires, revoked);
    }

    /// This key as a person's.
    public Key asHuman() {
        return new Key(kid, algorithm, material, actors, true, expires, revoked);
    }

    /// This key, good until `expires`.
    public Key expiringAt(Instant expires) {
        return new Key(kid, algorithm, material, actors, human, expires, revoked);
    }

    /// This key, given up at `revoked`.
    public Key revokedAt(Instant revoked) {
        return new Key(kid, algorithm, material, actors, human, expires, revoked);
    }

    /// Whether it was given up.
    public boolean isRevoked(Instant now) {
        return revoked != null && !now.isBefore(revoked);
    }

    /// Whether it is neither expired nor revoked.
    public boolean isLive(Instant now) {
        return (expires == null || now.isBefore(expires)) && !isRevoked(now);
    }

    /// Whether `actor` may sign with it.
    public boolean belongsTo(Actor actor) {
        return actors.contains(actor);
    }

    /// Whether `signature` is this key's under `content`, and was made for this purpose.
    public boolean verifies(Signature.Purpose purpose, byte[] content, Signature signature) {
        return verifies(SignedBytes.of(purpose, content, algorithm, kid), signature);
    }

    /// Whether `signature` is this key's of `bytes`. A signature of another algorithm never is: the
    /// key decides how it is checked, not the mail.
    boolean verifies(byte[] bytes, Signature signature) {
        KeyBytes key = material;
        if (key == null || signature.algorithm() != algorithm) {
            return false;
        }
        return switch (algorithm) {
            case ED25519 -> Ed25519Keys.verify(key.bytes(), bytes, signature.bytes());
            case HMAC -> Hmac.verify(key.bytes(), bytes, signature.bytes());
        };
    }

    private static void checkMaterial(
            KeyId kid, Signature.Algorithm algorithm, @Nullable KeyBytes material) {
        switch (algorithm) {
            case ED25519 -> {
                if (material == null) {
                    throw new IllegalArgumentException(
                            "key " + kid + " has no public key, expected one");
                }
                Ed25519Keys.checkLength(kid, material.length());
            }
            case HMAC -> {
                if (material != null) {
                    Hmac.checkLength(kid, material.length());
                }
            }
        }
    }
}
