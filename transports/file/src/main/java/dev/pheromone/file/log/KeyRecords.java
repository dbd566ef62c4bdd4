package dev.pheromone.file.log;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Signature;
import dev.pheromone.rse.Cursor;
import dev.pheromone.rse.RseEntry;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseLog;
import dev.pheromone.rse.RseReading;
import dev.pheromone.rse.RseScope;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;
import dev.pheromone.trust.Key;
import dev.pheromone.trust.KeyBytes;
import dev.pheromone.trust.Passkey;
import dev.pheromone.trust.TrustList;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// What the event log tells of the keys in `trust.yaml`: each of them as a person last trusted or
/// revoked it.
///
/// The log and the file are compared, so that a key that was added, changed or removed by hand is
/// found. Whoever can rewrite both is not.
public final class KeyRecords {

    /// A person had the hive trust a key.
    public static final String TRUST = "key_trust";

    /// A person gave a key up.
    public static final String REVOKE = "key_revoke";

    /// In a `key_revoke`: the key is not in the file any more.
    private static final String REMOVED = "removed";

    /// What events have as the algorithm of a passkey, whose public half names its own.
    public static final String WEBAUTHN = "webauthn";

    private static final List<String> COMPARED =
            List.of(
                    "algorithm",
                    "credential",
                    "public",
                    "actors",
                    "human",
                    "synced",
                    "expires",
                    "revoked");

    private static final RseScope SCOPE = RseScope.ALL.ofTypes(Set.of(TRUST, REVOKE));

    /// The latest event about each key, by its name.
    private final Map<String, RseEvent> latest = new LinkedHashMap<>();

    /// A key that is not as the log tells.
    ///
    /// @param found what `trust.yaml` has of it
    /// @param expected what the log tells of it
    /// @param correction the event after which the log tells what the file has; its writer adds who
    ///   confirms it
    public record Difference(
            String kid, String found, String expected, String type, Json.Obj correction) {}

    public KeyRecords() {}

    /// All that `log` tells.
    public static KeyRecords of(RseLog log) throws IOException {
        KeyRecords records = new KeyRecords();
        try (RseReading reading = log.read(Cursor.START, SCOPE)) {
            for (Optional<RseEntry> next = reading.next();
                    next.isPresent();
                    next = reading.next()) {
                if (next.get() instanceof RseEntry.Read read) {
                    records.note(read.event());
                }
            }
        }
        return records;
    }

    /// Takes an event into account; later ones about a key replace earlier ones.
    public void note(RseEvent event) {
        if (event.type().equals(TRUST) || event.type().equals(REVOKE)) {
            event.data().optionalText("kid").ifPresent(kid -> latest.put(kid, event));
        }
    }

    /// The event that tells of a key as it is now.
    ///
    /// @param by whose word it was
    /// @param proof what that word is worth
    public static RseEvent event(
            String type, Json.Obj key, String by, String proof, String actor, Instant now) {
        return new RseEvent.Other(
                now, type, Lane.GOVERNANCE, actor, key.put("by", by).put("proof", proof));
    }

    /// A key as events tell of it; never with a secret.
    public static Json.Obj json(Key key) {
        Json.Obj json =
                Json.obj()
                        .put("kid", key.kid().name())
                        .put("algorithm", key.algorithm().toString());
        KeyBytes material = key.material();
        if (material != null && key.algorithm() == Signature.Algorithm.ED25519) {
            json = json.put("public", material.toHex());
        }
        json =
                json.putTexts("actors", key.actors().stream().map(Actor::name).toList())
                        .put("human", key.human());
        Instant expires = key.expires();
        if (expires != null) {
            json = json.put("expires", IsoTime.format(expires));
        }
        Instant revoked = key.revoked();
        return revoked == null ? json : json.put("revoked", IsoTime.format(revoked));
    }

    /// A passkey as events tell of it.
    public static Json.Obj json(Passkey passkey) {
        Json.Obj json =
                Json.obj()
                        .put("kid", passkey.kid().name())
                        .put("algorithm", WEBAUTHN)
                        .put("credential", passkey.credential().toHex())
                        .put("public", passkey.publicKey().toHex())
                        .putTexts("actors", List.of(passkey.actor().name()))
                        .put("human", true)
                        .put("synced", passkey.synced());
        Instant revoked = passkey.revoked();
        return revoked == null ? json : json.put("revoked", IsoTime.format(revoked));
    }

    /// The keys that are not as the log tells.
    public List<Difference> differences(TrustList trust) {
        List<Difference> differences = new ArrayList<>();
        Set<String> there = new HashSet<>();
        List<Json.Obj> all = new ArrayList<>();
        trust.keys().forEach(key -> all.add(json(key)));
        trust.passkeys().forEach(passkey -> all.add(json(passkey)));
        for (Json.Obj now : all) {
            String kid = now.text("kid");
            there.add(kid);
            String type = now.has("revoked") ? REVOKE : TRUST;
            RseEvent told = latest.get(kid);
            if (told == null || isRemoved(told)) {
                differences.add(
                        new Difference(
                                kid,
                                "a key that no event tells of, trusted for " + describe(now),
                                "one that rsm keys trust added",
                                type,
                                now));
                continue;
            }
            for (String field : COMPARED) {
                String found = text(now, field);
                String expected = text(told.data(), field);
                if (!found.equals(expected)) {
                    differences.add(
                            new Difference(
                                    kid,
                                    field + " " + found,
                                    expected
                                            + ", as "
                                            + told.type()
                                            + " of "
                                            + told.ts()
                                            + " tells",
                                    type,
                                    now));
                    break;
                }
            }
        }
        latest.forEach((kid, told) -> {
            if (!there.contains(kid) && !isRemoved(told)) {
                differences.add(
                        new Difference(
                                kid,
                                "no such key",
                                "the key of "
                                        + told.type()
                                        + " of "
                                        + told.ts()
                                        + ": keys are revoked, not removed",
                                REVOKE,
                                Json.obj().put("kid", kid).put(REMOVED, true)));
            }
        });
        return differences;
    }

    private static boolean isRemoved(RseEvent event) {
        return event.data().get(REMOVED).filter(Json.of(true)::equals).isPresent();
    }

    private static String describe(Json.Obj key) {
        return text(key, "actors") + (text(key, "human").equals("true") ? ", as a person's" : "");
    }

    private static String text(Json.Obj key, String field) {
        return key.get(field).map(Json::toString).orElse("not set");
    }
}
