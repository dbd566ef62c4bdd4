package dev.pheromone.session.passkey;

import dev.pheromone.address.Actor;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;
import dev.pheromone.trust.Passkey;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.List;

/// What an authenticator is to sign: one deed, at one hive, once, and soon.
///
/// @param kind of the deed
/// @param target of the deed
/// @param content the hash of all else that belongs to the deed
/// @param hive which hive it is
/// @param nonce never used again
/// @param expires from when on it counts for nothing
public record Challenge(
        String kind, String target, String content, String hive, String nonce, Instant expires) {

    private static final String FORMAT = "RSM-ASSERTION-v1\n";

    static Challenge of(Deed deed, String hive, String nonce, Instant expires) {
        return new Challenge(
                deed.kind(), deed.target(), deed.hash().toString(), hive, nonce, expires);
    }

    /// What a page has to ask an authenticator for.
    ///
    /// @param passkeys that may answer
    public Json.Obj request(Deed deed, List<Passkey> passkeys) {
        return request("get", passkeys).put("what", deed.what());
    }

    /// What a page has to ask for a new passkey of `actor`.
    ///
    /// @param known that are there already
    public Json.Obj request(Actor actor, List<Passkey> known) {
        return request("create", known)
                .put("actor", actor.name())
                .put("user", userHandle(actor))
                .put("algorithms", Json.arr(Page.ALGORITHMS.stream().map(Json::of).toList()));
    }

    private Json.Obj request(String ask, List<Passkey> passkeys) {
        return Json.obj()
                .put("ask", ask)
                .put("challenge", Base64Url.of(bytes()))
                .put("nonce", nonce)
                .put("expires_at", IsoTime.format(expires))
                .put("rp_id", Page.RP_ID)
                .putTexts(
                        "credentials",
                        passkeys.stream()
                                .map(passkey -> Base64Url.of(passkey.credential().copy()))
                                .toList());
    }

    /// One for each person and hive, so that a device keeps a passkey for each: at most 64 bytes.
    private String userHandle(Actor actor) {
        String whole = hive + "/" + actor;
        return Base64Url.of(digest(whole.getBytes(StandardCharsets.UTF_8)));
    }

    /// The hash that is signed. Each field goes with its length, so that no two challenges are the
    /// same bytes.
    public byte[] bytes() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(FORMAT.getBytes(StandardCharsets.UTF_8));
        for (String field : List.of(kind, target, content, hive, nonce, IsoTime.format(expires))) {
            byte[] bytes = field.getBytes(StandardCharsets.UTF_8);
            all.writeBytes((bytes.length + "\n").getBytes(StandardCharsets.UTF_8));
            all.writeBytes(bytes);
            all.write('\n');
        }
        return digest(all.toByteArray());
    }

    private static byte[] digest(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
