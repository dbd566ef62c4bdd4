package dev.pheromone.cli;

import dev.pheromone.Address;
import dev.pheromone.Domain;
import dev.pheromone.Envelope;
import dev.pheromone.HiveConfig;
import dev.pheromone.Inbox;
import dev.pheromone.Key;
import dev.pheromone.NoSuchInboxException;
import dev.pheromone.Receipt;
import dev.pheromone.SignatureCheck;
import dev.pheromone.TrustList;
import dev.pheromone.file.Catalog;
import dev.pheromone.file.FileTransport;
import dev.pheromone.file.HiveLayout;
import dev.pheromone.file.HiveRoot;
import dev.pheromone.file.KeptTrust;
import dev.pheromone.file.LockFiles;
import dev.pheromone.file.MalformedYamlException;
import dev.pheromone.file.MissingInbox;
import dev.pheromone.file.NoHiveException;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.Verdict;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.rse.RseLog;
import dev.pheromone.session.ApprovedGuards;
import dev.pheromone.session.FileProblem;
import dev.pheromone.session.OwnKeys;
import dev.pheromone.session.ProblemException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;

/// The hive that a command works on, with its parts joined by plain `new`.
final class OpenHive implements AutoCloseable {

    private final Invocation call;
    private final FileTransport transport;
    private final LockFiles guard;
    private final PublicPass publicPass;

    /// Null unless `--via` names another way.
    private final @Nullable Via via;

    private OpenHive(
            Invocation call,
            FileTransport transport,
            LockFiles guard,
            PublicPass publicPass,
            @Nullable Via via) {
        this.call = call;
        this.transport = transport;
        this.guard = guard;
        this.publicPass = publicPass;
        this.via = via;
    }

    /// Finds and opens the hive that `call` means.
    static OpenHive of(Invocation call) throws IOException {
        HiveLayout layout = find(call);
        LockFiles guard = guard(call, layout);
        PublicPass publicPass = new PublicPass(call, layout, guard);
        try {
            FileTransport transport =
                    FileTransport.open(
                            layout,
                            guard,
                            call.actor(),
                            call.surroundings().clock(),
                            new OwnKeys(call)::sharedSecret,
                            publicPass);
            if (!transport.isWithheld()) {
                keepTrust(layout, guard);
            }
            String way = call.declares("via") ? call.args().value("via") : null;
            return new OpenHive(
                    call,
                    transport,
                    guard,
                    publicPass,
                    way == null ? null : new Via(call, transport, way));
        } catch (MalformedYamlException e) {
            throw new CliException(ErrorCode.BAD_CONFIGURATION, String.valueOf(e.getMessage()), e);
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

    /// Where the hive is: the named one, else the one of the folder that the command was typed in.
    static HiveLayout find(Invocation call) throws IOException {
        Path named = call.namedRoot();
        try {
            return named == null ? HiveRoot.find(call.surroundings().cwd()) : HiveRoot.at(named);
        } catch (NoHiveException e) {
            CliException none =
                    new CliException(ErrorCode.NO_HIVE, String.valueOf(e.getMessage()), e)
                            .hint(e.hint());
            e.command().ifPresent(none::fix);
            throw none;
        }
    }

    /// The guard of the hive at `layout`, as the person at this machine has it.
    static LockFiles guard(Invocation call, HiveLayout layout) {
        return new LockFiles(
                layout, new ApprovedGuards(call), call.surroundings().clock(), () -> nameOf(call));
    }

    /// Who acts; empty where that can't be told. Guards are asked all the same.
    private static String nameOf(Invocation call) {
        try {
            return call.actor().name();
        } catch (ProblemException e) {
            return "";
        }
    }

    FileTransport transport() {
        return transport;
    }

    /// What looks through public mail.
    PublicPass publicPass() {
        return publicPass;
    }

    /// The way that `--via` names, or null for the hive's own inboxes.
    @Nullable Via via() {
        return via;
    }

    /// The same hive, for mail that goes by `way`; closed by whoever opened this one, and the way.
    OpenHive by(Via way) {
        return new OpenHive(call, transport, guard, publicPass, way);
    }

    /// Sends by the way that was typed.
    Receipt send(Envelope envelope) throws IOException, NoSuchInboxException {
        return via == null ? transport.send(envelope, missing(call)) : via.send(envelope);
    }

    /// What was typed for mail whose inbox is not there.
    static MissingInbox missing(Invocation call) {
        return call.declares("create") && call.args().has("create")
                ? MissingInbox.IS_MADE
                : MissingInbox.FAILS;
    }

    /// The inboxes there are, by the way that was typed.
    List<Domain> domains() throws IOException {
        return via == null ? transport.domains() : via.domains();
    }

    void createInbox(Domain domain) throws IOException {
        if (via == null) {
            transport.createInbox(domain);
        } else {
            via.transport().createInbox(domain);
        }
    }

    Catalog catalog() throws IOException {
        return transport.catalog();
    }

    RseLog log() {
        return transport.log();
    }

    HiveLayout layout() {
        return transport.layout();
    }

    HiveConfig config() {
        return transport.config();
    }

    TrustList trust() {
        return transport.trust();
    }

    /// As [#trust], for whoever is about to change it. Under a lock this fails: what was kept of it
    /// does not say which keys there are now.
    TrustList trustToChange() throws IOException {
        Path file = layout().trust();
        if (guard.check(file, Access.WRITE) instanceof Verdict.Blocked blocked) {
            throw new WithheldException(file, blocked);
        }
        return trust();
    }

    /// As [#trust], for whoever says what it is: under a lock that hides it, what was kept of it;
    /// without even that, nobody knows, and this fails.
    TrustList knownTrust() throws IOException {
        Path file = layout().trust();
        try {
            Optional<TrustList> known = new KeptTrust(layout(), guard).read();
            if (known.isEmpty()
                    && guard.check(file, Access.READ) instanceof Verdict.Blocked blocked) {
                throw new WithheldException(file, blocked);
            }
            return known.orElseGet(this::trust);
        } catch (MalformedYamlException e) {
            throw new CliException(ErrorCode.BAD_CONFIGURATION, String.valueOf(e.getMessage()), e);
        }
    }

    /// Trusts `key` as it is now, in the place of an earlier one of its name; on disk when this
    /// returns.
    void trust(Key key) throws IOException {
        try {
            transport.trust(key);
            new KeptTrust(layout(), guard).keep();
        } catch (MalformedYamlException e) {
            throw new CliException(ErrorCode.BAD_CONFIGURATION, String.valueOf(e.getMessage()), e);
        }
    }

    /// Who vouches for an envelope, as far as this hive knows.
    SignatureCheck checkSignature(Envelope envelope) {
        return trust().check(envelope, call.now(), config().signatures());
    }

    LockFiles guard() {
        return guard;
    }

    /// The one inbox that `address` means.
    Inbox inbox(Address address) throws IOException {
        return inbox(address, "");
    }

    /// As [#inbox(Address)].
    ///
    /// @param outcome what it means for the command if there is none: `; nothing was sent`
    Inbox inbox(Address address, String outcome) throws IOException {
        Domain domain = address.domain();
        if (address instanceof Address.OfLane(var lane)) {
            List<Domain> serving = config().domainsOf(lane);
            if (serving.size() > 1) {
                throw new CliException(
                                ErrorCode.USAGE,
                                address
                                        + " is served by "
                                        + serving.size()
                                        + " inboxes, expected one")
                        .hint("name one of " + NoInbox.addresses(serving));
            }
            domain = serving.getFirst();
        }
        try {
            return via == null ? transport.inbox(domain) : via.inbox(domain);
        } catch (NoSuchInboxException e) {
            throw NoInbox.error(call, e, outcome);
        }
    }

    /// The inbox that was typed as the operand at `index`, else the actor's own.
    Inbox inboxTyped(int index) throws IOException {
        String typed = call.args().operand(index);
        return inbox(typed == null ? ownAddress() : Typed.address(call, "ADDRESS", typed));
    }

    /// Makes the inbox of whoever types the command, unless there is one: mail to them needs
    /// somewhere to go.
    void makeOwnInbox() throws IOException {
        if (!hasOwnInbox()) {
            createInbox(ownAddress().domain());
        }
    }

    /// Says why mail that expired then is still there, if that is because the clock is doubted.
    void tellIfKept(Instant expiresAt) throws IOException {
        if (!call.now().isBefore(expiresAt)) {
            boolean _ = transport.keepsExpired();
        }
    }

    boolean hasOwnInbox() throws IOException {
        return domains().contains(ownAddress().domain());
    }

    /// Where whoever types the command gets mail.
    Address ownAddress() throws IOException {
        return OwnAddress.of(call.identity(), call.surroundings(), domains());
    }

    @Override
    public void close() {
        try {
            if (via != null) {
                via.close();
            }
        } catch (IOException e) {
            call.warn(via.name() + ": " + FileProblem.describe(e));
        }
        try {
            transport.close();
        } catch (IOException e) {
            // What was done is done; only events that need not survive a power cut may be lost.
            call.warn("event log: " + FileProblem.describe(e));
        }
        for (String problem : new LinkedHashSet<>(transport.problems())) {
            call.warn(problem);
        }
    }
}
