package dev.pheromone.cli;

import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.util.Arrays;
import java.util.Base64;

/// A browser and its authenticator in a few lines, which say whatever a test wants: what a program
/// could do that has no person.
final class SoftAuthenticator {

    static final int PRESENT = 1;
    static final int VERIFIED = 4;
    static final int MAY_SYNC = 8;
    static final int SYNCED = 16;
    private static final int NEW_KEY = 64;

    private static final int NUMBER_BYTES = 32;

    private final KeyPair keys;
    private final byte[] credential = new byte[16];

    String origin;
    String rpId = "localhost";
    int flags = PRESENT | VERIFIED;
    int count;

    /// What it says its public key is; null for the true one.
    byte @Nullable [] otherKey;

    SoftAuthenticator(String origin) throws GeneralSecurityException {
        this.origin = origin;
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        keys = generator.generateKeyPair();
        new SecureRandom().nextBytes(credential);
    }

    /// What the page sends after it was asked for a passkey.
    ///
    /// @param asked the field `passkey` of the answer
    Json.Obj answer(Json.Obj asked) throws GeneralSecurityException {
        return asked.text("ask").equals("create")
                ? Json.obj().put("registration", register(asked))
                : Json.obj().put("assertion", confirm(asked));
    }

    Json.Obj register(Json.Obj asked) throws GeneralSecurityException {
        byte[] told = told(flags | NEW_KEY);
        ByteArrayOutputStream attestation = new ByteArrayOutputStream();
        attestation.write(0xa3);
        text(attestation, "fmt");
        text(attestation, "none");
        text(attestation, "attStmt");
        attestation.write(0xa0);
        text(attestation, "authData");
        attestation.write(0x59);
        attestation.write(told.length >> 8);
        attestation.write(told.length);
        attestation.writeBytes(told);
        return Json.obj()
                .put("nonce", asked.text("nonce"))
                .put("client", base64(client("webauthn.create", asked)))
                .put("attestation", base64(attestation.toByteArray()));
    }

    Json.Obj confirm(Json.Obj asked) throws GeneralSecurityException {
        byte[] client = client("webauthn.get", asked);
        byte[] told = told(flags);
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(keys.getPrivate());
        signature.update(told);
        signature.update(sha256(client));
        return Json.obj()
                .put("nonce", asked.text("nonce"))
                .put("credential", base64(credential))
                .put("client", base64(client))
                .put("authenticator", base64(told))
                .put("signature", base64(signature.sign()));
    }

    private byte[] client(String type, Json.Obj asked) {
        return Json.obj()
                .put("type", type)
                .put("challenge", asked.text("challenge"))
                .put("origin", origin)
                .put("crossOrigin", false)
                .toString()
                .getBytes(StandardCharsets.UTF_8);
    }

    private byte[] told(int shown) throws GeneralSecurityException {
        ByteArrayOutputStream told = new ByteArrayOutputStream();
        told.writeBytes(sha256(rpId.getBytes(StandardCharsets.UTF_8)));
        told.write(shown);
        told.writeBytes(ByteBuffer.allocate(4).putInt(count).array());
        if ((shown & NEW_KEY) != 0) {
            told.writeBytes(new byte[16]);
            told.write(0);
            told.write(credential.length);
            told.writeBytes(credential);
            told.writeBytes(otherKey == null ? cose() : otherKey);
        }
        return told.toByteArray();
    }

    private byte[] cose() {
        ECPublicKey key = (ECPublicKey) keys.getPublic();
        ByteArrayOutputStream cose = new ByteArrayOutputStream();
        // A map: kty EC2, alg ES256, crv P-256, x and y.
        cose.writeBytes(new byte[] {(byte) 0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 0x20});
        cose.writeBytes(number(key.getW().getAffineX().toByteArray()));
        cose.writeBytes(new byte[] {0x22, 0x58, 0x20});
        cose.writeBytes(number(key.getW().getAffineY().toByteArray()));
        return cose.toByteArray();
    }

    /// An RSA key with a modulus of so many bytes, which nobody has the private half of.
    static byte[] rsa(int bytes) {
        ByteArrayOutputStream cose = new ByteArrayOutputStream();
        // A map: kty RSA, alg RS256, n and e.
        cose.writeBytes(new byte[] {(byte) 0xa4, 1, 3, 3, 0x39, 1, 0, 0x20, 0x59});
        cose.write(bytes >> 8);
        cose.write(bytes);
        byte[] modulus = new byte[bytes];
        Arrays.fill(modulus, (byte) 0xff);
        cose.writeBytes(modulus);
        cose.writeBytes(new byte[] {0x21, 0x43, 1, 0, 1});
        return cose.toByteArray();
    }

    private static byte[] number(byte[] signed) {
        byte[] bytes = new byte[NUMBER_BYTES];
        int length = Math.min(signed.length, NUMBER_BYTES);
        System.arraycopy(signed, signed.length - length, bytes, NUMBER_BYTES - length, length);
        return bytes;
    }

    private static void text(ByteArrayOutputStream cbor, String text) {
        cbor.write(0x60 + text.length());
        cbor.writeBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] sha256(byte[] bytes) throws GeneralSecurityException {
        return MessageDigest.getInstance("SHA-256").digest(bytes);
    }

    static String base64(byte[] bytes) {
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(Arrays.copyOf(bytes, bytes.length));
    }
}
