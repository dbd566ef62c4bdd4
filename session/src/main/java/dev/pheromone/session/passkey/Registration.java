package dev.pheromone.session.passkey;

import dev.pheromone.text.Json;

/// A new passkey, as a browser tells of it; bytes are in base64url.
///
/// @param nonce of the challenge that it answers
/// @param client what the browser says of the page, as JSON
/// @param attestation the key and its flags, as CBOR
public record Registration(String nonce, String client, String attestation) {

    /// A certificate chain of a maker may be in it, which we don't ask for.
    private static final int ATTESTATION_BYTES_MAX = 16_384;

    /// The registration that a page shows.
    public static Registration parse(Json.Obj json) throws RefusedException {
        return new Registration(
                Assertion.nonce(json),
                Base64Url.text(json, "client", Assertion.CLIENT_BYTES_MAX),
                Base64Url.text(json, "attestation", ATTESTATION_BYTES_MAX));
    }
}
