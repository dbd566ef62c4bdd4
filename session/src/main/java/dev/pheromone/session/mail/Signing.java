package dev.pheromone.session.mail;

import dev.pheromone.address.Actor;
import dev.pheromone.config.HiveFiles;
import dev.pheromone.config.MalformedYamlException;
import dev.pheromone.disk.GuardedFiles;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.envelope.Consent;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.KeyId;
import dev.pheromone.envelope.Signature;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.lock.KeptSettings;
import dev.pheromone.lock.LockFiles;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.OwnKey;
import dev.pheromone.session.caller.OwnKeys;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.caller.ProblemException.Code;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.trust.Key;
import dev.pheromone.trust.SignaturePolicy;
import dev.pheromone.trust.TrustList;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// Signs what is sent: when it is asked for, and when unsigned mail would be refused anyway.
public final class Signing {

    private final Caller caller;
    private final OpenHive hive;

    /// What the caller wants of a signature.
    public sealed interface Wish {

        /// Only what the hive expects.
        record AsExpected() implements Wish {}

        /// A signature by the first key of the sender's.
        record Signed() implements Wish {}

        /// A signature by this key.
        record With(KeyId key) implements Wish {}
    }

    public Signing(Caller caller, OpenHive hive) {
        this.caller = caller;
        this.hive = hive;
    }

    /// `envelope`, signed if that is wanted or needed.
    public Envelope sign(Envelope envelope) throws IOException {
        return sign(envelope, new Wish.AsExpected());
    }

    /// `envelope`, signed as the caller wishes, or if that is needed.
    public Envelope sign(Envelope envelope, Wish wish) throws IOException {
        OwnKey key = keyFor(envelope, wish);
        if (envelope.consent() == Consent.PUBLIC) {
            requireTerminal(envelope.from());
            key = key == null ? keyForPublic(envelope.from()) : key;
            if (key == null || !canSignPublic(key)) {
                throw new ProblemException(Code.USAGE, "consent public needs an ed25519 signature")
                        .hint("a key for it is made by")
                        .fix("rsm keys new");
            }
        }
        return key == null ? envelope : key.signer().sign(envelope);
    }

    /// Public mail is signed without being asked to, because it can't go otherwise.
    private @Nullable OwnKey keyForPublic(Actor actor) throws IOException {
        for (OwnKey key : new OwnKeys(caller).of(actor)) {
            if (canSignPublic(key)) {
                return key;
            }
        }
        return null;
    }

    private static boolean canSignPublic(OwnKey key) {
        return key.signer().algorithm() == Signature.Algorithm.ED25519;
    }

    private @Nullable OwnKey keyFor(Envelope envelope, Wish wish) throws IOException {
        List<KeyId> expected = expectedKeys(envelope);
        boolean asked = !(wish instanceof Wish.AsExpected);
        KeyId named = wish instanceof Wish.With(var kid) ? kid : null;
        if (!asked
                && expected.isEmpty()
                && hive.config().signatures() != SignaturePolicy.REQUIRED) {
            return null;
        }
        requireTerminal(envelope.from());
        if (named == null) {
            for (OwnKey key : new OwnKeys(caller).of(envelope.from())) {
                if (expected.contains(key.signer().kid())) {
                    return key;
                }
            }
            if (!asked && hive.transport().isWithheld()) {
                // What the hive wants is known from before the lock; whether this will do is
                // decided when the mail is released.
                List<OwnKey> own = new OwnKeys(caller).of(envelope.from());
                return own.isEmpty() ? null : own.getFirst();
            }
            if (!asked && !expected.isEmpty()) {
                throw new ProblemException(
                                Code.BAD_MAIL,
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
        return ownKey(caller, envelope.from(), named);
    }

    /// A signature says that whoever has the key wrote it. A network shows nobody of whom that is
    /// known.
    private void requireTerminal(Actor actor) {
        if (caller.reach() != null) {
            throw new ProblemException(
                            Code.NOT_A_PERSON,
                            "this has to be signed with a key of "
                                    + actor
                                    + ", and from here nothing is signed: nobody has shown that the"
                                    + " key's owner asks")
                    .hint("type it at a terminal, where your keys are");
        }
    }

    /// The key that is named, else the first one of `actor`; fails if it is not on this machine.
    public static OwnKey ownKey(Caller caller, Actor actor, @Nullable KeyId named)
            throws IOException {
        OwnKeys keys = new OwnKeys(caller);
        if (named == null) {
            List<OwnKey> own = keys.of(actor);
            if (own.isEmpty()) {
                throw new ProblemException(Code.NO_SUCH_KEY, actor + " has no key on this machine")
                        .fix("rsm keys new");
            }
            return own.getFirst();
        }
        OwnKey key = keys.find(named);
        if (key == null) {
            throw new ProblemException(Code.NO_SUCH_KEY, "no key " + named + " on this machine")
                    .fix("rsm keys list");
        }
        return key;
    }

    /// Whether the hive at `layout` expects the caller's mail to be signed, without a wish for it;
    /// true also if its settings can't be understood.
    public static boolean isExpected(Caller caller, HiveLayout layout) throws IOException {
        try {
            KeptSettings settings = settings(layout, OpenHive.guard(caller, layout));
            return settings.config().signatures() == SignaturePolicy.REQUIRED
                    || !liveKeys(settings.trust(), caller.actor(), caller.now()).isEmpty();
        } catch (MalformedYamlException e) {
            return true;
        }
    }

    private static KeptSettings settings(HiveLayout layout, LockFiles guard)
            throws IOException, MalformedYamlException {
        HiveFiles files = new HiveFiles(new GuardedFiles(new LocalDisk(), guard), layout);
        try {
            return new KeptSettings(files.config(), files.trust());
        } catch (WithheldException e) {
            return KeptSettings.read(layout, guard);
        }
    }

    /// The keys by which this hive knows the sender.
    private List<KeyId> expectedKeys(Envelope envelope) {
        return liveKeys(hive.trust(), envelope.from(), caller.now());
    }

    private static List<KeyId> liveKeys(TrustList trust, Actor actor, Instant now) {
        List<KeyId> kids = new ArrayList<>();
        for (Key key : trust.keys()) {
            if (key.belongsTo(actor) && key.isLive(now)) {
                kids.add(key.kid());
            }
        }
        return kids;
    }
}
