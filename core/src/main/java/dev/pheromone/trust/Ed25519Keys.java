package dev.pheromone.trust;

import dev.pheromone.envelope.KeyId;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.SignatureException;
import java.security.interfaces.EdECPublicKey;
import java.security.spec.EdECPoint;
import java.security.spec.EdECPrivateKeySpec;
import java.security.spec.EdECPublicKeySpec;
import java.security.spec.NamedParameterSpec;

/// Ed25519 over keys in their raw form of 32 bytes, as RFC 8032 writes them.
final class Ed25519Keys {

    static final int KEY_BYTES = 32;

    private static final String NAME = "Ed25519";

    private Ed25519Keys() {}

    static void checkLength(KeyId kid, int length) {
        if (length != KEY_BYTES) {
            throw new IllegalArgumentException(
                    "key " + kid + " has " + length + " bytes, expected " + KEY_BYTES);
        }
    }

    static byte[] sign(byte[] seed, byte[] bytes) {
        try {
            java.security.Signature signing = java.security.Signature.getInstance(NAME);
            signing.initSign(
                    KeyFactory.getInstance(NAME)
                            .generatePrivate(
                                    new EdECPrivateKeySpec(NamedParameterSpec.ED25519, seed)));
            signing.update(bytes);
            return signing.sign();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("signing with Ed25519 failed: " + e.getMessage(), e);
        }
    }

    /// Whether `signature` is one of `bytes` by the owner of `publicKey`; false too for a key that
    /// is no point.
    static boolean verify(byte[] publicKey, byte[] bytes, byte[] signature) {
        try {
            java.security.Signature checking = java.security.Signature.getInstance(NAME);
            checking.initVerify(
                    KeyFactory.getInstance(NAME)
                            .generatePublic(
                                    new EdECPublicKeySpec(
                                            NamedParameterSpec.ED25519, point(publicKey))));
            checking.update(bytes);
            return checking.verify(signature);
        } catch (SignatureException
                | java.security.spec.InvalidKeySpecException
                | java.security.InvalidKeyException e) {
            return false;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform since 15 has Ed25519", e);
        }
    }

    static byte[] publicKey(byte[] seed) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance(NAME);
            generator.initialize(NamedParameterSpec.ED25519, new Given(seed));
            EdECPoint point = ((EdECPublicKey) generator.generateKeyPair().getPublic()).getPoint();
            return raw(point);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform since 15 has Ed25519", e);
        }
    }

    private static EdECPoint point(byte[] publicKey) {
        byte[] bigEndian = reversed(publicKey);
        boolean xIsOdd = (bigEndian[0] & 0x80) != 0;
        bigEndian[0] &= 0x7F;
        return new EdECPoint(xIsOdd, new BigInteger(1, bigEndian));
    }

    private static byte[] raw(EdECPoint point) {
        byte[] bigEndian = new byte[KEY_BYTES];
        byte[] y = point.getY().toByteArray();
        int from = Math.max(0, y.length - KEY_BYTES);
        System.arraycopy(y, from, bigEndian, KEY_BYTES - (y.length - from), y.length - from);
        if (point.isXOdd()) {
            bigEndian[0] |= (byte) 0x80;
        }
        return reversed(bigEndian);
    }

    private static byte[] reversed(byte[] bytes) {
        byte[] reversed = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            reversed[i] = bytes[bytes.length - 1 - i];
        }
        return reversed;
    }

    /// A source of "randomness" that gives one array: the only way to ask the JDK for the public
    /// half of a private key.
    private static final class Given extends SecureRandom {

        @java.io.Serial private static final long serialVersionUID = 1L;

        private final byte[] bytes;

        Given(byte[] bytes) {
            this.bytes = bytes.clone();
        }

        @Override
        public void nextBytes(byte[] target) {
            System.arraycopy(bytes, 0, target, 0, target.length);
        }
    }
}
