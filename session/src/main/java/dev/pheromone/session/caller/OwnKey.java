package dev.pheromone.session.caller;

import dev.pheromone.address.Actor;
import dev.pheromone.envelope.KeyId;
import dev.pheromone.envelope.Signature;
import dev.pheromone.session.caller.ProblemException.Code;
import dev.pheromone.trust.KeyBytes;
import dev.pheromone.trust.Signer;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;

/// A key of the user's with its secret, as it lies in a file: four lines, `kid`, `algorithm`,
/// `actor` and `secret`.
///
/// @param actor whose key it is
public record OwnKey(Signer signer, Actor actor) {

    /// The key in the text of a file; `name` is the file's, for messages. The secret is never in
    /// one.
    public static OwnKey parse(byte[] bytes, String name) {
        Map<String, String> fields = new HashMap<>();
        for (String line : new String(bytes, StandardCharsets.UTF_8).split("\n", -1)) {
            int colon = line.indexOf(": ");
            if (colon > 0) {
                fields.put(line.substring(0, colon), line.substring(colon + 2).strip());
            }
        }
        try {
            KeyId kid = KeyId.parse(fields.getOrDefault("kid", ""));
            byte[] secret =
                    HexFormat.of()
                            .parseHex(KeyBytes.parseHex(fields.getOrDefault("secret", "")).toHex());
            Signer signer =
                    switch (Signature.Algorithm.parse(fields.getOrDefault("algorithm", ""))) {
                        case ED25519 -> Signer.ed25519(kid, secret);
                        case HMAC -> Signer.hmac(kid, secret);
                    };
            return new OwnKey(signer, Actor.parse(fields.getOrDefault("actor", "")));
        } catch (IllegalArgumentException e) {
            throw new ProblemException(
                    Code.BAD_FILE, "key file " + name + ": " + e.getMessage(), e);
        }
    }

    /// The text of the file.
    public byte[] toBytes() {
        String text =
                "kid: "
                        + signer.kid()
                        + "\nalgorithm: "
                        + signer.algorithm()
                        + "\nactor: "
                        + actor
                        + "\nsecret: "
                        + HexFormat.of().formatHex(signer.secret())
                        + "\n";
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return "key " + signer.kid() + " of " + actor;
    }
}
