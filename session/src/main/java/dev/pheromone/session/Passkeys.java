package dev.pheromone.session;

import dev.pheromone.address.Actor;
import dev.pheromone.envelope.KeyId;
import dev.pheromone.file.log.KeyRecords;
import dev.pheromone.file.setup.Finding;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.PasskeyFiles;
import dev.pheromone.session.caller.PasskeyFiles.Waiting;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.caller.ProblemException.Code;
import dev.pheromone.session.hive.Authority;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.passkey.Challenge;
import dev.pheromone.session.passkey.Deed;
import dev.pheromone.session.passkey.NewPasskey;
import dev.pheromone.session.passkey.Page;
import dev.pheromone.session.passkey.RefusedException;
import dev.pheromone.session.passkey.Registration;
import dev.pheromone.trust.Passkey;
import dev.pheromone.trust.TrustList;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The passkeys of people at one hive: made in a browser, confirmed by a person's word.
public final class Passkeys {

    private final Caller caller;
    private final OpenHive hive;
    private final PasskeyFiles files;

    public Passkeys(Caller caller, OpenHive hive) {
        this.caller = caller;
        this.hive = hive;
        this.files = new PasskeyFiles(caller.folder(), hive.layout().root());
    }

    /// A passkey that a browser registered.
    ///
    /// @param isTrusted whether an earlier passkey vouched for it; else a person confirms it
    public record Registered(Passkey passkey, boolean isTrusted) {}

    /// What to do with `passkey`, as a deed for people.
    public static Deed deed(String kind, Passkey passkey, String doing) {
        return new Deed(
                kind,
                passkey.kid().name(),
                doing + " passkey " + passkey.kid(),
                KeyRecords.json(passkey));
    }

    /// Registers the passkey that the caller's page shows, or asks the page for one. The first is
    /// taken on trust and counts for nothing until a person confirms it at a terminal; for others
    /// an earlier one has to vouch.
    public Registered register() throws IOException {
        Page page = caller.page();
        if (page == null) {
            throw new ProblemException(
                            Code.USAGE, "a passkey is made in a browser, and not at a terminal")
                    .hint("open the board, and choose Passkeys at its foot:")
                    .fix("rsm board");
        }
        Actor actor = caller.actor();
        Instant now = caller.now();
        TrustList trust = hive.trustToChange();
        Deed making = Deed.of("register", actor.name(), "registering a passkey for " + actor);
        Registration shown = page.registration();
        if (shown == null) {
            List<Passkey> known =
                    trust.passkeys().stream().filter(one -> one.actor().equals(actor)).toList();
            throw new ProblemException(
                            Code.NOT_A_PERSON, making.what() + " needs one that your browser makes")
                    .detail("passkey", page.challenges().ask(making, now).request(actor, known));
        }
        try {
            Challenge challenge = page.challenges().look(shown.nonce(), making, now);
            NewPasskey made = NewPasskey.of(shown, challenge, page.origin());
            Passkey passkey = passkey(actor, made);
            checkNew(trust, passkey);
            Authority authority = new Authority(caller, hive);
            boolean isFirst = !authority.hasPasskey();
            if (isFirst) {
                Challenge _ = page.challenges().take(shown.nonce(), making, now);
                if (files.waiting().size() >= PasskeyFiles.WAITING_MAX) {
                    throw new ProblemException(
                                    Code.REFUSED,
                                    PasskeyFiles.WAITING_MAX
                                            + " passkeys wait to be confirmed, expected fewer")
                            .hint("which they are, and how to remove one:")
                            .fix("rsm keys list");
                }
                files.keepCount(passkey.kid(), made.count());
                files.add(passkey, now);
                return new Registered(passkey, false);
            }
            Authority.Person person = authority.confirmed(deed(Deed.TRUST, passkey, "trusting"));
            Challenge _ = page.challenges().take(shown.nonce(), making, now);
            files.keepCount(passkey.kid(), made.count());
            trust(passkey, person);
            return new Registered(passkey, true);
        } catch (RefusedException e) {
            throw new ProblemException(
                    Code.NOT_A_PERSON,
                    making.what() + ": " + e.getMessage() + "; nothing was registered",
                    e);
        }
    }

    private static Passkey passkey(Actor actor, NewPasskey made) throws RefusedException {
        try {
            return new Passkey(
                    PasskeyFiles.name(actor, made.publicKey()),
                    made.credential(),
                    made.publicKey(),
                    actor,
                    made.synced(),
                    null);
        } catch (IllegalArgumentException e) {
            // Authenticators may make longer keys than are kept.
            throw new RefusedException(String.valueOf(e.getMessage()));
        }
    }

    private void checkNew(TrustList trust, Passkey passkey) throws IOException {
        boolean isKnown =
                trust.find(passkey.kid()).isPresent()
                        || trust.passkey(passkey.kid()).isPresent()
                        || files.waiting(passkey.kid().name()).isPresent()
                        || trust.passkeys().stream()
                                .anyMatch(one -> one.credential().equals(passkey.credential()));
        if (isKnown) {
            throw new ProblemException(
                            Code.CONFLICT,
                            "key " + passkey.kid() + " is registered already, expected a new one")
                    .fix("rsm keys list");
        }
    }

    /// Those that nobody has confirmed.
    public List<Waiting> waiting() throws IOException {
        return files.waiting();
    }

    /// The same, for whoever looks after the hive: somebody has to say whose they are.
    public List<Finding> check() throws IOException {
        List<Finding> findings = new ArrayList<>();
        for (Waiting one : files.waiting()) {
            KeyId kid = one.passkey().kid();
            findings.add(
                    new Finding(
                            Finding.Severity.NOTE,
                            "passkey " + kid,
                            "registered at " + one.since() + ", and confirmed by nobody",
                            "a person's word, without which it counts for nothing",
                            "rsm keys trust " + kid + ", if it is yours; else rsm keys revoke"));
        }
        return findings;
    }

    /// The one of this name that nobody has confirmed.
    public Optional<Waiting> waiting(KeyId kid) throws IOException {
        return files.waiting(kid.name());
    }

    /// Has the hive trust a passkey, as a person's.
    public void trust(Passkey passkey, Authority.Person person) throws IOException {
        if (hive.trustToChange().find(passkey.kid()).isPresent()) {
            throw new ProblemException(
                    Code.CONFLICT, "there is another key " + passkey.kid() + " already");
        }
        hive.trust(passkey);
        new KeyEvents(caller, hive).tell(KeyRecords.TRUST, KeyRecords.json(passkey), person);
        boolean _ = files.remove(passkey.kid());
    }

    /// Has the hive trust a passkey no more; what it asserted earlier stays as good as it was.
    public Passkey revoke(Passkey passkey, Authority.Person person) throws IOException {
        Passkey revoked = passkey.revokedAt(caller.now());
        hive.trust(revoked);
        new KeyEvents(caller, hive).tell(KeyRecords.REVOKE, KeyRecords.json(revoked), person);
        return revoked;
    }

    /// Forgets a passkey that nobody has confirmed.
    public void forget(KeyId kid) throws IOException {
        boolean _ = files.remove(kid);
    }
}
