package dev.pheromone.session.hive;

import dev.pheromone.HiveConfig;
import dev.pheromone.Inbox;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.config.MalformedYamlException;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.file.FileTransport;
import dev.pheromone.file.upkeep.Catalog;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.Verdict;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.lock.KeptTrust;
import dev.pheromone.lock.LockFiles;
import dev.pheromone.rse.RseLog;
import dev.pheromone.session.caller.ApprovedGuards;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.FileProblem;
import dev.pheromone.session.caller.OwnKeys;
import dev.pheromone.session.caller.Phrase;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.caller.ProblemException.Code;
import dev.pheromone.session.seat.WakeUpCalls;
import dev.pheromone.trust.Key;
import dev.pheromone.trust.Passkey;
import dev.pheromone.trust.SignatureCheck;
import dev.pheromone.trust.TrustList;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;

/// The hive that a caller works on, with its parts joined by plain `new`.
public final class OpenHive implements AutoCloseable {

    private final Caller caller;
    private final FileTransport transport;
    private final LockFiles guard;
    private final PublicPass publicPass;

    private final GuardedTransport mail;

    private OpenHive(
            Caller caller,
            FileTransport transport,
            LockFiles guard,
            PublicPass publicPass,
            @Nullable String via,
            Use use) {
        this.caller = caller;
        this.transport = transport;
        this.guard = guard;
        this.publicPass = publicPass;
        transport.onArrival(new WakeUpCalls(caller, transport.layout(), guard));
        this.mail = via == null ? new OwnTransport(caller, this) : mailBy(other(via), use);
    }

    /// What a caller wants with a transport.
    public enum Use {
        /// To send by it: a broker, which only carries, will do.
        SENDING,
        /// To look into its inboxes, take from them or make them.
        INBOXES
    }

    private GuardedTransport mailBy(OtherTransport other, Use use) {
        if (!other.isCarrier()) {
            return other;
        }
        return switch (use) {
            case SENDING -> new CarriedTransport(caller, this, other);
            case INBOXES -> throw other.onlyCarries();
        };
    }

    /// Opens the hive at `layout` for `caller`, whose mail is in the hive's own inboxes.
    public static OpenHive of(Caller caller, HiveLayout layout) throws IOException {
        return of(caller, layout, null, Use.INBOXES);
    }

    /// The hive of `transport`, which was opened behind `guard`: for tests of doors, on a disk that
    /// fails or forgets.
    public static OpenHive of(Caller caller, FileTransport transport, LockFiles guard) {
        PublicPass publicPass = new PublicPass(caller, transport.layout(), guard);
        return new OpenHive(caller, transport, guard, publicPass, null, Use.INBOXES);
    }

    /// Opens the hive at `layout` for `caller`.
    ///
    /// @param via the transport of hive.yaml by which mail goes and comes, or null for the hive's
    ///   own inboxes
    /// @throws ProblemException if hive.yaml has no such transport, or it can't be used that way
    public static OpenHive of(Caller caller, HiveLayout layout, @Nullable String via, Use use)
            throws IOException {
        LockFiles guard = guard(caller, layout);
        PublicPass publicPass = new PublicPass(caller, layout, guard);
        try {
            FileTransport transport =
                    FileTransport.open(
                            layout,
                            guard,
                            caller.actor(),
                            caller.clock(),
                            new OwnKeys(caller)::sharedSecret,
                            publicPass);
            if (!transport.isWithheld()) {
                keepTrust(layout, guard);
            }
            try {
                return new OpenHive(caller, transport, guard, publicPass, via, use);
            } catch (ProblemException e) {
                transport.close();
                throw e;
            }
        } catch (MalformedYamlException e) {
            throw new ProblemException(Code.BAD_CONFIGURATION, String.valueOf(e.getMessage()), e);
        }
    }

    /// Keeps the trusted keys for the time when a lock hides them.
    private static void keepTrust(HiveLayout layout, LockFiles guard) {
        try {
            new KeptTrust(layout, guard).refresh();
        } catch (IOException e) {
            // Nobody may write here, say. Without a copy a lock is lifted by hand only.
        }
    }

    /// The guard of the hive at `layout`, as the person at this machine has it.
    public static LockFiles guard(Caller caller, HiveLayout layout) {
        return new LockFiles(
                layout, new ApprovedGuards(caller), caller.clock(), () -> nameOf(caller));
    }

    /// Who acts; empty where that can't be told. Guards are asked all the same.
    private static String nameOf(Caller caller) {
        try {
            return caller.actor().name();
        } catch (ProblemException e) {
            return "";
        }
    }

    public FileTransport transport() {
        return transport;
    }

    /// What looks through public mail.
    public PublicPass publicPass() {
        return publicPass;
    }

    /// The transport that the caller's mail goes and comes by.
    public GuardedTransport mail() {
        return mail;
    }

    /// The transport of hive.yaml of this name, for the same caller, who closes it.
    public OtherTransport other(String name) {
        return new OtherTransport(caller, this, name, NamedTransport.HTTP_TRIES);
    }

    /// As [#other], for a bridge. It has to hear of each try whose answer was lost: mail that
    /// arrived by such a try is known there the next time, and only the bridge can tell that the
    /// mail was its own.
    public OtherTransport otherOfBridge(String name) {
        return new OtherTransport(caller, this, name, 1);
    }

    /// How the transport of hive.yaml of this name is opened.
    public NamedTransport named(String name) {
        return NamedTransport.of(caller, transport, name, 1);
    }

    /// The same hive, for mail that goes by the transport of this name. Whoever opened this one
    /// closes it, and [#mail] of the new one.
    public OpenHive by(String name) {
        return new OpenHive(caller, transport, guard, publicPass, name, Use.SENDING);
    }

    public Catalog catalog() throws IOException {
        return transport.catalog();
    }

    public RseLog log() {
        return transport.log();
    }

    public HiveLayout layout() {
        return transport.layout();
    }

    public HiveConfig config() {
        return transport.config();
    }

    public TrustList trust() {
        return transport.trust();
    }

    /// As [#trust], for whoever is about to change it. Under a lock this fails: what was kept of it
    /// does not say which keys there are now.
    public TrustList trustToChange() throws IOException {
        Path file = layout().trust();
        if (guard.check(file, Access.WRITE) instanceof Verdict.Blocked blocked) {
            throw new WithheldException(file, blocked);
        }
        return trust();
    }

    /// As [#trust], for whoever says what it is: under a lock that hides it, what was kept of it;
    /// without even that, nobody knows, and this fails.
    public TrustList knownTrust() throws IOException {
        Path file = layout().trust();
        try {
            Optional<TrustList> known = new KeptTrust(layout(), guard).read();
            if (known.isEmpty()
                    && guard.check(file, Access.READ) instanceof Verdict.Blocked blocked) {
                throw new WithheldException(file, blocked);
            }
            return known.orElseGet(this::trust);
        } catch (MalformedYamlException e) {
            throw new ProblemException(Code.BAD_CONFIGURATION, String.valueOf(e.getMessage()), e);
        }
    }

    /// Trusts `key` as it is now, in the place of an earlier one of its name; on disk when this
    /// returns.
    public void trust(Key key) throws IOException {
        try {
            transport.trust(key);
            new KeptTrust(layout(), guard).keep();
        } catch (MalformedYamlException e) {
            throw new ProblemException(Code.BAD_CONFIGURATION, String.valueOf(e.getMessage()), e);
        }
    }

    /// As [#trust(Key)], for a passkey.
    public void trust(Passkey passkey) throws IOException {
        try {
            transport.trust(passkey);
            new KeptTrust(layout(), guard).keep();
        } catch (MalformedYamlException e) {
            throw new ProblemException(Code.BAD_CONFIGURATION, String.valueOf(e.getMessage()), e);
        }
    }

    /// Who vouches for an envelope, as far as this hive knows.
    public SignatureCheck checkSignature(Envelope envelope) {
        return trust().check(envelope, caller.now(), config().signatures());
    }

    public LockFiles guard() {
        return guard;
    }

    /// The one inbox that `address` means.
    public Inbox inbox(Address address) throws IOException {
        return inbox(address, "");
    }

    /// As [#inbox(Address)].
    ///
    /// @param outcome what it means for the request if there is none: `; nothing was sent`
    public Inbox inbox(Address address, String outcome) throws IOException {
        Domain domain = address.domain();
        if (address instanceof Address.OfLane(var lane)) {
            List<Domain> serving = config().domainsOf(lane);
            if (serving.size() > 1) {
                throw new ProblemException(
                                Code.USAGE,
                                address
                                        + " is served by "
                                        + serving.size()
                                        + " inboxes, expected one")
                        .hint("name one of " + Phrase.addresses(serving));
            }
            domain = serving.getFirst();
        }
        try {
            return mail.inbox(domain);
        } catch (NoSuchInboxException e) {
            throw new ProblemException(Code.NO_SUCH_INBOX, "no inbox " + e.address() + outcome, e);
        }
    }

    /// Makes the caller's own inbox, unless there is one: mail to them needs somewhere to go.
    public void makeOwnInbox() throws IOException {
        Domain own = ownAddress().domain();
        if (!mail.hasInbox(own)) {
            mail.createInbox(own);
        }
    }

    /// Says why mail that expired then is still there, if that is because the clock is doubted.
    public void tellIfKept(Instant expiresAt) throws IOException {
        if (!caller.now().isBefore(expiresAt)) {
            boolean _ = transport.upkeep().keepsExpired();
        }
    }

    public boolean hasOwnInbox() throws IOException {
        return mail.hasInbox(ownAddress().domain());
    }

    /// Where the caller gets mail.
    public Address ownAddress() throws IOException {
        return OwnAddress.of(caller, mail::hasInbox);
    }

    @Override
    public void close() {
        try {
            mail.close();
        } catch (IOException e) {
            caller.warn(mail.name().orElse("") + ": " + FileProblem.describe(e));
        }
        try {
            transport.close();
        } catch (IOException e) {
            // What was done is done; only events that need not survive a power cut may be lost.
            caller.warn("event log: " + FileProblem.describe(e));
        }
        for (String problem : new LinkedHashSet<>(transport.problems())) {
            caller.warn(problem);
        }
    }
}
