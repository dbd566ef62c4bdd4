package dev.pheromone.cli;

import dev.pheromone.Actor;
import dev.pheromone.Consent;
import dev.pheromone.Envelope;
import dev.pheromone.Key;
import dev.pheromone.KeyId;
import dev.pheromone.Signature;
import dev.pheromone.SignaturePolicy;
import dev.pheromone.session.OwnKey;
import dev.pheromone.session.OwnKeys;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// Signs what is sent: when it is asked for, and when unsigned mail would be refused anyway.
final class Signing {

    private final Invocation call;
    private final OpenHive hive;

    Signing(Invocation call, OpenHive hive) {
        this.call = call;
        this.hive = hive;
    }

    /// `envelope`, signed if that is wanted or needed.
    Envelope sign(Envelope envelope) throws IOException {
        OwnKey key = keyFor(envelope);
        if (envelope.consent() == Consent.PUBLIC) {
            key = key == null ? keyForPublic(envelope.from()) : key;
            if (key == null || !canSignPublic(key)) {
                throw new CliException(ErrorCode.USAGE, "consent public needs an ed25519 signature")
                        .hint("a key for it is made by")
                        .fix("rsm keys new");
            }
        }
        return key == null ? envelope : envelope.signedBy(key.signer());
    }

    /// Public mail is signed without being asked to, because it can't go otherwise.
    private @Nullable OwnKey keyForPublic(Actor actor) throws IOException {
        for (OwnKey key : new OwnKeys(call).of(actor)) {
            if (canSignPublic(key)) {
                return key;
            }
        }
        return null;
    }

    private static boolean canSignPublic(OwnKey key) {
        return key.signer().algorithm() == Signature.Algorithm.ED25519;
    }

    private @Nullable OwnKey keyFor(Envelope envelope) throws IOException {
        List<KeyId> expected = expectedKeys(envelope);
        boolean asked = call.args().has("sign") || call.args().has("key");
        if (!asked
                && expected.isEmpty()
                && hive.config().signatures() != SignaturePolicy.REQUIRED) {
            return null;
        }
        if (!call.args().has("key")) {
            for (OwnKey key : new OwnKeys(call).of(envelope.from())) {
                if (expected.contains(key.signer().kid())) {
                    return key;
                }
            }
            if (!asked && hive.transport().isWithheld()) {
                // What the hive wants is known from before the lock; whether this will do is
                // decided when the mail is released.
                List<OwnKey> own = new OwnKeys(call).of(envelope.from());
                return own.isEmpty() ? null : own.getFirst();
            }
            if (!asked && !expected.isEmpty()) {
                throw new CliException(
                                ErrorCode.BAD_MAIL,
                                "this hive trusts key "
                                        + expected.getFirst()
                                        + " of "
                                        + envelope.from()
                                        + ", and its secret is not on this machine; unsigned mail"
                                        + " would be refused")
                        .hint(
                                "send under another name with --actor, or make this machine's key"
                                        + " known:")
                        .fix("rsm keys new");
            }
        }
        return ownKey(call, envelope.from());
    }

    /// The key that `--key` names, else the first one of `actor`; fails if it is not on this
    /// machine.
    static OwnKey ownKey(Invocation call, Actor actor) throws IOException {
        OwnKeys keys = new OwnKeys(call);
        String named = call.args().value("key");
        if (named == null) {
            List<OwnKey> own = keys.of(actor);
            if (own.isEmpty()) {
                throw new CliException(ErrorCode.NO_SUCH_KEY, actor + " has no key on this machine")
                        .fix("rsm keys new");
            }
            return own.getFirst();
        }
        OwnKey key;
        try {
            key = keys.find(KeyId.parse(named));
        } catch (IllegalArgumentException e) {
            throw Typed.wrong("option --key", e);
        }
        if (key == null) {
            throw new CliException(ErrorCode.NO_SUCH_KEY, "no key " + named + " on this machine")
                    .fix("rsm keys list");
        }
        return key;
    }

    /// The keys by which this hive knows the sender.
    private List<KeyId> expectedKeys(Envelope envelope) {
        List<KeyId> kids = new ArrayList<>();
        for (Key key : hive.trust().keys()) {
            if (key.belongsTo(envelope.from()) && key.isLive(call.now())) {
                kids.add(key.kid());
            }
        }
        return kids;
    }
}
