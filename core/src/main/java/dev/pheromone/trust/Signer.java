package dev.pheromone.trust;

import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.KeyId;
import dev.pheromone.envelope.Signature;
import dev.pheromone.envelope.SignedBytes;

import java.util.Arrays;

/// The private half of a key: what makes signatures. It never shows its secret in messages.
public final class Signer {

    private final KeyId kid;
    private final Signature.Algorithm algorithm;
    private final byte[] secret;

    private Signer(KeyId kid, Signature.Algorithm algorithm, byte[] secret) {
        this.kid = kid;
        this.algorithm = algorithm;
        this.secret = secret;
    }

    /// Signs with the private key of 32 bytes that RFC 8032 calls the seed.
    public static Signer ed25519(KeyId kid, byte[] seed) {
        Ed25519Keys.checkLength(kid, seed.length);
        return new Signer(kid, Signature.Algorithm.ED25519, seed.clone());
    }

    /// Signs with a shared secret of at least 32 bytes.
    public static Signer hmac(KeyId kid, byte[] secret) {
        Hmac.checkLength(kid, secret.length);
        return new Signer(kid, Signature.Algorithm.HMAC, secret.clone());
    }

    /// The name of its key.
    public KeyId kid() {
        return kid;
    }

    /// How it signs.
    public Signature.Algorithm algorithm() {
        return algorithm;
    }

    /// The public half, for others to check with; only Ed25519 has one.
    public byte[] publicKey() {
        return switch (algorithm) {
            case ED25519 -> Ed25519Keys.publicKey(secret);
            case HMAC ->
                    throw new IllegalStateException(
                            "key " + kid + " is a shared secret and has no public half");
        };
    }

    /// Signs an envelope: its `sig` and `kid` lines are set, every other byte stays.
    public Envelope sign(Envelope envelope) {
        return envelope.signed(kid, algorithm, this::sign);
    }

    /// Signs something that is no envelope.
    public Signature sign(Signature.Purpose purpose, byte[] content) {
        return sign(SignedBytes.of(purpose, content, algorithm, kid));
    }

    Signature sign(byte[] bytes) {
        byte[] signature =
                switch (algorithm) {
                    case ED25519 -> Ed25519Keys.sign(secret, bytes);
                    case HMAC -> Hmac.sign(secret, bytes);
                };
        return Signature.of(algorithm, signature);
    }

    /// A copy of the secret, to be stored where only its owner reads.
    public byte[] secret() {
        return Arrays.copyOf(secret, secret.length);
    }

    @Override
    public String toString() {
        return "signer " + kid + " (" + algorithm + ")";
    }
}
