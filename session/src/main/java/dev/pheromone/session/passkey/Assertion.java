package dev.pheromone.session.passkey;

import dev.pheromone.text.Json;
import dev.pheromone.trust.KeyBytes;
import dev.pheromone.trust.Passkey;

/// What an authenticator answered to a challenge; bytes are in base64url, as browsers have them.
///
/// @param nonce of the challenge that it answers
/// @param credential by which the authenticator knows its key
/// @param client what the browser says of the page, as JSON
/// @param authenticator flags and counter
/// @param signature over both
public record Assertion(
        String nonce, String credential, String client, String authenticator, String signature) {

    /// A browser says type, challenge and origin; more than this is none.
    static final int CLIENT_BYTES_MAX = 2_048;

    /// 37 bytes without extensions.
    private static final int AUTHENTICATOR_BYTES_MAX = 1_024;

    /// Of an RSA key of 4,096 bits.
    private static final int SIGNATURE_BYTES_MAX = 512;

    private static final int NONCE_CHARS_MAX = 64;

    /// The assertion that a page shows, or that an event keeps.
    public static Assertion parse(Json.Obj json) throws RefusedException {
        return new Assertion(
                nonce(json),
                Base64Url.text(json, "credential", Passkey.CREDENTIAL_BYTES_MAX),
                Base64Url.text(json, "client", CLIENT_BYTES_MAX),
                Base64Url.text(json, "authenticator", AUTHENTICATOR_BYTES_MAX),
                Base64Url.text(json, "signature", SIGNATURE_BYTES_MAX));
    }

    static String nonce(Json.Obj json) throws RefusedException {
        String nonce = json.optionalText("nonce").orElse("");
        if (nonce.isEmpty() || nonce.length() > NONCE_CHARS_MAX) {
            throw new RefusedException("nonce: expected the one of the challenge");
        }
        return nonce;
    }

    /// Whether it says to be `passkey`'s.
    public boolean isOf(Passkey passkey) {
        return passkey.credential().equals(KeyBytes.of(Base64Url.bytes(credential)));
    }

    /// `data` with the fields of this.
    Json.Obj addTo(Json.Obj data) {
        return data.put("nonce", nonce)
                .put("credential", credential)
                .put("client", client)
                .put("authenticator", authenticator)
                .put("signature", signature);
    }
}
