package dev.pheromone.trust;

import dev.pheromone.envelope.KeyId;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// HMAC-SHA-256 with a shared secret.
final class Hmac {

    /// As long as the hash: less would be easier to guess than the hash is to break.
    static final int SECRET_BYTES_MIN = 32;

    private static final String NAME = "HmacSHA256";

    private Hmac() {}

    static void checkLength(KeyId kid, int length) {
        if (length < SECRET_BYTES_MIN) {
            throw new IllegalArgumentException(
                    "key "
                            + kid
                            + " has "
                            + length
                            + " bytes, expected at least "
                            + SECRET_BYTES_MIN);
        }
    }

    static byte[] sign(byte[] secret, byte[] bytes) {
        try {
            Mac mac = Mac.getInstance(NAME);
            mac.init(new SecretKeySpec(secret, NAME));
            return mac.doFinal(bytes);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has " + NAME, e);
        }
    }

    /// Takes the same time wherever the two differ.
    static boolean verify(byte[] secret, byte[] bytes, byte[] signature) {
        return MessageDigest.isEqual(sign(secret, bytes), signature);
    }
}
