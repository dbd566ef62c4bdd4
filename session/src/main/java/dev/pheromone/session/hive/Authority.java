package dev.pheromone.session.hive;

import dev.pheromone.config.MalformedYamlException;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.Signature;
import dev.pheromone.file.log.GovernanceLog;
import dev.pheromone.guard.PolicyGuard;
import dev.pheromone.lock.KeptTrust;
import dev.pheromone.lock.LockFiles;
import dev.pheromone.session.caller.AgentSession;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.OwnKey;
import dev.pheromone.session.caller.OwnKeys;
import dev.pheromone.session.caller.PasskeyFiles;
import dev.pheromone.session.caller.Phrase;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.caller.ProblemException.Code;
import dev.pheromone.session.passkey.Assertion;
import dev.pheromone.session.passkey.AssertionRecords;
import dev.pheromone.session.passkey.Challenge;
import dev.pheromone.session.passkey.Deed;
import dev.pheromone.session.passkey.Page;
import dev.pheromone.session.passkey.RefusedException;
import dev.pheromone.text.IsoTime;
import dev.pheromone.trust.Key;
import dev.pheromone.trust.Passkey;
import dev.pheromone.trust.Signer;
import dev.pheromone.trust.TrustList;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// Decides whether a person stands behind what is for people alone.
///
/// A program can't tell a person from an agent for sure. What it can do: refuse where an agent's
/// session shows, ask for a person's key where the hive knows one, and else for a word or a name to
/// write down. At a page only a passkey counts, and its assertion is kept in the event log.
public final class Authority {

    private static final String UNPROVEN = "unproven";

    /// Whose word it was, and what it is worth.
    ///
    /// @param signer the key that signs for it; null if none does
    public record Person(String name, String proof, @Nullable Signer signer) {

        public static Person unproven(String name) {
            return new Person(name, UNPROVEN, null);
        }

        /// Who it was, and how well that is proven: `confirmed by you, not signed`.
        public String told() {
            return "confirmed by "
                    + name
                    + (proof.equals(UNPROVEN) ? ", not signed" : ", signed with " + proof);
        }
    }

    private final Caller caller;
    private final TrustList trust;
    private final HiveLayout layout;
    private final PolicyGuard guard;

    public Authority(Caller caller, OpenHive hive) {
        this(caller, hive.trust(), hive.layout(), hive.guard());
    }

    private Authority(Caller caller, TrustList trust, HiveLayout layout, PolicyGuard guard) {
        this.caller = caller;
        this.trust = trust;
        this.layout = layout;
        this.guard = guard;
    }

    /// Who may lift a lock, whether or not the hive can be opened.
    public static Authority underLock(Caller caller, HiveLayout layout, LockFiles guard)
            throws IOException {
        try {
            KeptTrust kept = new KeptTrust(layout, guard);
            return new Authority(
                    caller,
                    kept.read().orElseThrow(() -> lostKeys(layout, kept.copyName())),
                    layout,
                    guard);
        } catch (MalformedYamlException e) {
            throw new ProblemException(Code.BAD_CONFIGURATION, String.valueOf(e.getMessage()), e)
                    .hint("it says whose key lifts a lock, so it has to be fixed first");
        }
    }

    /// Under a lock, with no copy of the trusted keys: a person's key may be needed.
    private static ProblemException lostKeys(HiveLayout layout, String copy) {
        String keys = layout.nameOf(layout.trust());
        return new ProblemException(
                        Code.WITHHELD,
                        ("whether a person's key is needed is unknown: %s is locked, and its"
                                        + " copy %s is missing")
                                .formatted(keys, copy))
                .hint(
                        ("if you are a person: copy %s there by hand, or an empty file if there"
                                        + " is none; or take the lock itself away by hand, which"
                                        + " no rsm can keep you from")
                                .formatted(keys));
    }

    /// The person who does `deed` and has said so already; fails if there is none.
    public Person confirmed(Deed deed) throws IOException {
        String what = deed.what();
        refuseAgents(what);
        if (caller.page() != null) {
            return byPasskey(deed, caller.page());
        }
        return trust.hasHumanKey(caller.now())
                ? byKey(what)
                : Person.unproven(caller.actor().name());
    }

    private void refuseAgents(String what) {
        AgentSession session = caller.identity().session();
        if (session != null) {
            throw new ProblemException(
                            Code.NOT_A_PERSON,
                            what
                                    + " is for people, and this is a session of "
                                    + session.actorName())
                    .hint("ask a person to type it:")
                    .remedy(new ProblemException.Remedy.Same());
        }
    }

    /// How a person is asked for their word.
    public interface Question {

        /// Fails unless the person means it.
        void ask() throws IOException;
    }

    /// The person who does `deed`; fails if there is none.
    ///
    /// @param by the name that the person gave, or null
    /// @param question asked where neither a key nor a name is given
    public Person ask(Deed deed, @Nullable String by, Question question) throws IOException {
        String what = deed.what();
        refuseAgents(what);
        refuseNobody(by);
        if (caller.page() != null) {
            return byPasskey(deed, caller.page());
        }
        if (trust.hasHumanKey(caller.now())) {
            return byKey(what);
        }
        if (by != null && trust.hasPasskey(caller.now())) {
            throw new ProblemException(
                            Code.NOT_A_PERSON,
                            what
                                    + " needs more than a name, since people here have passkeys:"
                                    + " found --by "
                                    + by.strip())
                    .hint("type it at a terminal without --by, or do it on the board:")
                    .fix("rsm board");
        }
        if (by != null) {
            return Person.unproven(by.strip());
        }
        question.ask();
        return Person.unproven(caller.actor().name());
    }

    /// A name is written down for whoever asks later: what names nobody is none.
    private static void refuseNobody(@Nullable String by) {
        if (by != null
                && (by.isBlank()
                        || by.codePoints()
                                .anyMatch(c ->
                                        Character.isISOControl(c)
                                                || Character.getType(c) == Character.FORMAT
                                                || Character.getType(c) == Character.LINE_SEPARATOR
                                                || Character.getType(c)
                                                        == Character.PARAGRAPH_SEPARATOR))) {
            throw new ProblemException(
                            Code.USAGE,
                            "found "
                                    + (by.isBlank() ? "no name" : "a character that can't be seen")
                                    + ", expected who you are, in one line")
                    .in("by");
        }
    }

    private Person byKey(String what) throws IOException {
        for (OwnKey own : new OwnKeys(caller).all()) {
            Key trusted = trust.find(own.signer().kid()).orElse(null);
            if (trusted != null
                    && trusted.human()
                    && trusted.isLive(caller.now())
                    && trusted.belongsTo(own.actor())
                    && signs(own.signer(), trusted, what)) {
                return new Person(own.actor().name(), "key " + own.signer().kid(), own.signer());
            }
        }
        throw noKey(what);
    }

    /// Whether the caller has a passkey that this hive trusts.
    public boolean hasPasskey() {
        return !passkeys().isEmpty();
    }

    private List<Passkey> passkeys() {
        return trust.passkeys().stream()
                .filter(passkey ->
                        passkey.isLive(caller.now()) && passkey.actor().equals(caller.actor()))
                .toList();
    }

    /// The person whose passkey vouches for `deed`: asks the page for that, or takes what it shows.
    private Person byPasskey(Deed deed, Page page) throws IOException {
        List<Passkey> passkeys = passkeys();
        if (passkeys.isEmpty()) {
            throw new ProblemException(
                            Code.NOT_A_PERSON,
                            deed.what()
                                    + " is for people, and "
                                    + caller.actor()
                                    + " has no passkey that this hive trusts")
                    .hint("type it in a terminal:")
                    .remedy(new ProblemException.Remedy.Same());
        }
        Instant now = caller.now();
        if (deed.kind().equals(Deed.OVERRIDE) && trust.hasHumanKey(now)) {
            throw new ProblemException(
                            Code.NOT_A_PERSON,
                            deed.what() + " needs a person's key, which signs the override")
                    .hint("type it in a terminal:")
                    .remedy(new ProblemException.Remedy.Same());
        }
        try {
            AssertionRecords.checkLength(deed);
            Assertion shown = page.assertion();
            if (shown == null) {
                throw asked(deed, page.challenges().ask(deed, now), passkeys);
            }
            Challenge challenge = page.challenges().take(shown.nonce(), deed, now);
            Passkey passkey =
                    passkeys.stream()
                            .filter(shown::isOf)
                            .findFirst()
                            .orElseThrow(() ->
                                    new RefusedException(
                                            "it is no passkey of "
                                                    + caller.actor()
                                                    + " that this hive trusts"));
            synchronized (page.challenges()) {
                // One after the other, as the authenticator counts.
                PasskeyFiles files = new PasskeyFiles(caller.folder(), layout.root());
                files.keepCount(
                        passkey.kid(),
                        AssertionRecords.check(
                                shown,
                                passkey,
                                challenge,
                                page.origin(),
                                files.count(passkey.kid())));
            }
            // Without its record an assertion would be a word that nobody can check.
            try (GovernanceLog log = GovernanceLog.of(layout, guard)) {
                log.append(
                        List.of(
                                AssertionRecords.event(
                                        deed, challenge, passkey, shown, page.origin(), now)));
            }
            return new Person(passkey.actor().name(), AssertionRecords.proof(passkey, shown), null);
        } catch (RefusedException e) {
            throw new ProblemException(
                            Code.NOT_A_PERSON,
                            deed.what()
                                    + " is for people: "
                                    + e.getMessage()
                                    + "; nothing was done",
                            e)
                    .hint("confirm it once more, or type it in a terminal:")
                    .remedy(new ProblemException.Remedy.Same());
        }
    }

    private static ProblemException asked(Deed deed, Challenge challenge, List<Passkey> passkeys) {
        return new ProblemException(
                        Code.NOT_A_PERSON, deed.what() + " needs your passkey; nothing was done")
                .hint("or type it in a terminal:")
                .remedy(new ProblemException.Remedy.Same())
                .detail("passkey", challenge.request(deed, passkeys));
    }

    private ProblemException noKey(String what) {
        List<String> expired = new ArrayList<>();
        for (Key key : trust.keys()) {
            if (key.human() && !key.isRevoked(caller.now())) {
                if (key.isLive(caller.now())) {
                    return new ProblemException(
                                    Code.NOT_A_PERSON,
                                    what
                                            + " needs a person's key, and this machine has none"
                                            + " that the hive trusts")
                            .hint("the keys:")
                            .fix("rsm keys list");
                }
                expired.add(key.kid().name());
            }
        }
        return new ProblemException(
                        Code.NOT_A_PERSON,
                        what
                                + " needs a person's key, and those of the hive have expired: "
                                + Phrase.and(expired))
                .hint(
                        "if you are a person: give one of them a later end in .deia/trust.yaml by"
                                + " hand; then have the log know of it:")
                .fix("rsm keys confirm");
    }

    /// Whether `own` is the private half of `trusted`, and not only called so: anybody can make a
    /// key of any name.
    private boolean signs(Signer own, Key trusted, String what) {
        byte[] said = (what + "\n" + IsoTime.format(caller.now())).getBytes(StandardCharsets.UTF_8);
        return trusted.verifies(
                Signature.Purpose.AUTHORITY, said, own.sign(Signature.Purpose.AUTHORITY, said));
    }
}
