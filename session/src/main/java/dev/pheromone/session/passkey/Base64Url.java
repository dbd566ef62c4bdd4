package dev.pheromone.session.passkey;

import dev.pheromone.text.Json;

import java.util.Base64;

/// Bytes as browsers write them in JSON.
final class Base64Url {

    private Base64Url() {}

    static String of(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /// The bytes of a text that [#text] let pass.
    static byte[] bytes(String text) {
        return Base64.getUrlDecoder().decode(text);
    }

    /// The text of a field, which stands for bytes.
    ///
    /// @param max how many there may be
    static String text(Json.Obj json, String field, int max) throws RefusedException {
        String text = json.optionalText(field).orElse("");
        // Nothing of what is too long is looked at.
        if (text.isEmpty() || text.length() > max * 2) {
            throw new RefusedException(
                    "%s: found %d characters, expected base64url of 1 to %d bytes"
                            .formatted(field, text.length(), max));
        }
        try {
            if (bytes(text).length <= max) {
                return text;
            }
        } catch (IllegalArgumentException e) {
            // Said below.
        }
        throw new RefusedException(field + ": expected base64url of at most " + max + " bytes");
    }
}
