package dev.pheromone.trust;

import dev.pheromone.address.Actor;
import dev.pheromone.envelope.Consent;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.KeyId;
import dev.pheromone.envelope.Signature;
import dev.pheromone.envelope.SignedBytes;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/// The keys that a hive trusts, each under a name of its own.
///
/// @param passkeys those of people, which sign no mail
public record TrustList(List<Key> keys, List<Passkey> passkeys) {

    /// How many keys are tried for a signature that names none: each costs a check.
    private static final int KEYS_TRIED_MAX = 8;

    private static final TrustList EMPTY = new TrustList(List.of());

    public TrustList {
        keys = List.copyOf(keys);
        passkeys = List.copyOf(passkeys);
        Set<KeyId> names = new HashSet<>();
        keys.forEach(key -> checkNew(names, key.kid()));
        passkeys.forEach(passkey -> checkNew(names, passkey.kid()));
    }

    /// A list without passkeys.
    public TrustList(List<Key> keys) {
        this(keys, List.of());
    }

    private static void checkNew(Set<KeyId> names, KeyId kid) {
        if (!names.add(kid)) {
            throw new IllegalArgumentException("key " + kid + " is listed twice, expected once");
        }
    }

    /// Trusts nobody.
    public static TrustList empty() {
        return EMPTY;
    }

    /// The key of that name, live or not.
    public Optional<Key> find(KeyId kid) {
        for (Key key : keys) {
            if (key.kid().equals(kid)) {
                return Optional.of(key);
            }
        }
        return Optional.empty();
    }

    /// This list with `key` in it, in the place of an earlier one of that name.
    public TrustList with(Key key) {
        List<Key> changed = new ArrayList<>(keys);
        changed.replaceAll(old -> old.kid().equals(key.kid()) ? key : old);
        if (find(key.kid()).isEmpty()) {
            changed.add(key);
        }
        return new TrustList(changed, passkeys);
    }

    /// This list with `passkey` in it, in the place of an earlier one of that name.
    public TrustList with(Passkey passkey) {
        List<Passkey> changed = new ArrayList<>(passkeys);
        changed.removeIf(old -> old.kid().equals(passkey.kid()));
        changed.add(passkey);
        return new TrustList(keys, changed);
    }

    /// The passkey of that name, live or not.
    public Optional<Passkey> passkey(KeyId kid) {
        return passkeys.stream().filter(passkey -> passkey.kid().equals(kid)).findFirst();
    }

    /// Whether a person has a passkey here that nobody has given up.
    public boolean hasPasskey(Instant now) {
        return passkeys.stream().anyMatch(passkey -> passkey.isLive(now));
    }

    /// Whether a person's signature is asked for: a person has a key here that nobody has revoked.
    /// An expired one counts, else time alone would let anybody act for people.
    public boolean hasHumanKey(Instant now) {
        return keys.stream().anyMatch(key -> key.human() && !key.isRevoked(now));
    }

    /// Who vouches for `envelope`. Its hash is not looked at: a signature covers the body itself.
    public SignatureCheck check(Envelope envelope, Instant now, SignaturePolicy policy) {
        Signature signature = envelope.signature().orElse(null);
        boolean isPublic = envelope.consent() == Consent.PUBLIC;
        if (isPublic && !(signature instanceof Signature.Ed25519)) {
            return bad("consent public needs an ed25519 signature");
        }
        if (signature == null) {
            return checkUnsigned(envelope.from(), now, policy);
        }
        KeyId kid = envelope.kid().orElse(null);
        return kid == null
                ? checkWithoutKid(envelope, signature, now)
                : checkWithKid(
                        key -> envelope.signedBytes(key.algorithm()),
                        envelope.from(),
                        signature,
                        kid,
                        now);
    }

    /// Who vouches for `content`, which is no envelope, and which `from` is said to have written.
    /// Without a signature it counts as unsigned, which is bad if `from` has a key.
    public SignatureCheck check(
            Signature.Purpose purpose,
            byte[] content,
            Actor from,
            @Nullable Signature signature,
            @Nullable KeyId kid,
            Instant now) {
        return signature == null || kid == null
                ? checkUnsigned(from, now, SignaturePolicy.OPTIONAL)
                : checkWithKid(
                        key -> SignedBytes.of(purpose, content, key.algorithm(), kid),
                        from,
                        signature,
                        kid,
                        now);
    }

    private SignatureCheck checkUnsigned(Actor from, Instant now, SignaturePolicy policy) {
        for (Key key : keys) {
            if (key.belongsTo(from) && key.isLive(now)) {
                return bad("no signature, but %s has key %s".formatted(from, key.kid()));
            }
        }
        for (Key key : keys) {
            for (Actor owner : key.actors()) {
                if (owner.resembles(from) && key.isLive(now)) {
                    return bad(
                            "no signature, and %s looks like %s, who has key %s"
                                    .formatted(from, owner, key.kid()));
                }
            }
        }
        return switch (policy) {
            case OPTIONAL -> new SignatureCheck.Unsigned();
            case REQUIRED -> bad("no signature, but this hive requires one");
        };
    }

    /// @param signed the bytes that a signature of some key vouches for
    private SignatureCheck checkWithKid(
            Function<Key, byte[]> signed, Actor from, Signature signature, KeyId kid, Instant now) {
        Key key = find(kid).orElse(null);
        if (key == null) {
            return bad("key %s is not trusted here".formatted(kid));
        }
        if (key.algorithm() != signature.algorithm()) {
            return bad(
                    "key %s signs with %s, not %s"
                            .formatted(kid, key.algorithm(), signature.algorithm()));
        }
        if (!key.belongsTo(from)) {
            return bad("key %s does not belong to %s".formatted(kid, from));
        }
        if (!key.isLive(now)) {
            return bad("key %s is revoked or expired".formatted(kid));
        }
        if (key.material() == null) {
            return bad("the secret of key %s is not on this machine".formatted(kid));
        }
        return key.verifies(signed.apply(key), signature)
                ? valid(key, from)
                : bad("the signature is not key %s's for these bytes".formatted(kid));
    }

    private SignatureCheck checkWithoutKid(Envelope envelope, Signature signature, Instant now) {
        byte[] signed = envelope.signedBytes(signature.algorithm());
        int tried = 0;
        for (Key key : keys) {
            boolean isCandidate =
                    key.algorithm() == signature.algorithm()
                            && key.belongsTo(envelope.from())
                            && key.isLive(now);
            if (isCandidate && tried++ < KEYS_TRIED_MAX && key.verifies(signed, signature)) {
                return valid(key, envelope.from());
            }
        }
        return tried == 0
                ? bad(
                        "%s has no live %s key here"
                                .formatted(envelope.from(), signature.algorithm()))
                : bad(
                        "the signature is of none of %s's keys for these bytes"
                                .formatted(envelope.from()));
    }

    private static SignatureCheck valid(Key key, Actor from) {
        return new SignatureCheck.Valid(key.kid(), from, key.human());
    }

    private static SignatureCheck bad(String reason) {
        return new SignatureCheck.Bad(reason);
    }
}
