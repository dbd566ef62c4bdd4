package dev.pheromone.cli.frame;

import dev.pheromone.AwayException;
import dev.pheromone.Carrier;
import dev.pheromone.Receipt;
import dev.pheromone.SendResult;
import dev.pheromone.State;
import dev.pheromone.Transport;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.address.Reach;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.file.FileTransport;
import dev.pheromone.file.remote.Elsewhere;
import dev.pheromone.file.remote.HeldClaims;
import dev.pheromone.file.remote.Outbox;
import dev.pheromone.file.remote.ViaJournal;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.mqtt.MqttCarrier;
import dev.pheromone.session.FileProblem;
import dev.pheromone.session.Letter;
import dev.pheromone.session.OpenHive;
import dev.pheromone.session.OtherTransport;
import dev.pheromone.session.ProblemException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The other way that `--via` names: mail of this hive's people and agents goes and comes by it,
/// under this hive's locks and with a record in its log.
public final class Via implements OtherTransport {

    /// How long a transport that was away is not tried again.
    private static final Duration AWAY_MIN = Duration.ofSeconds(2);

    /// How many of those that wait in the outbox one command sends on, so that it is not held up.
    private static final int SOME = 32;

    private final Invocation call;
    private final FileTransport local;
    private final String name;
    private final @Nullable NamedTransport named;
    private @Nullable Carrier open;
    private @Nullable AwayException away;
    private long awayAt;

    /// The transport that was typed as `name`. Under a lock nobody knows which there are, and
    /// nothing goes by any.
    public Via(Invocation call, FileTransport local, String name) {
        this(call, local, name, NamedTransport.HTTP_TRIES);
    }

    /// The same for a bridge, which has to hear of each try whose answer was lost: what arrived by
    /// it is known there the next time, and only the bridge can tell that it was its own.
    public static Via ofBridge(Invocation call, FileTransport local, String name) {
        return new Via(call, local, name, 1);
    }

    private Via(Invocation call, FileTransport local, String name, int httpTries) {
        this.call = call;
        this.local = local;
        this.name = name;
        this.named =
                local.isWithheld() && !local.config().transports().containsKey(name)
                        ? null
                        : NamedTransport.of(call, local, name, httpTries);
    }

    @Override
    public String name() {
        return name;
    }

    private Elsewhere elsewhere() {
        return local.elsewhere();
    }

    @Override
    public ViaJournal journal() throws IOException {
        return elsewhere().journal(name);
    }

    @Override
    public HeldClaims held() {
        return elsewhere().held(name);
    }

    @Override
    public Reach reach() {
        return named == null ? Reach.PUBLIC : named.reach();
    }

    /// Whether it only carries: then nothing can be looked for, taken or made there.
    @Override
    public boolean isCarrier() {
        return named != null && named.config().isCarrier();
    }

    /// The transport, for whatever no lock forbids now; fails if it only carries.
    @Override
    public Transport transport() throws IOException {
        elsewhere().requireFree();
        return storing();
    }

    /// The transport, for what was begun before a lock was set; fails if it only carries.
    Transport storing() throws IOException {
        if (opened() instanceof Transport transport) {
            return transport;
        }
        throw onlyCarries();
    }

    /// The error of a command that has nothing to work on here.
    @Override
    public ProblemException onlyCarries() {
        return new ProblemException(
                        ProblemException.Code.USAGE,
                        "transport "
                                + name
                                + " is an MQTT broker, which carries mail and keeps none: it has no"
                                + " inboxes to look into, take from or make")
                .hint(
                        "receive its mail into a hive and work on it there without --via, or use a"
                                + " transport over HTTP or NATS:")
                .fix("rsm bridge . " + name + " --back code");
    }

    /// What carries mail, for whatever no lock forbids now.
    public Carrier carrier() throws IOException {
        elsewhere().requireFree();
        return opened();
    }

    /// What carries mail, for what was begun before a lock was set.
    public synchronized Carrier opened() throws IOException {
        Carrier known = open;
        if (known != null) {
            return known;
        }
        AwayException before = away;
        if (before != null && System.nanoTime() - awayAt < AWAY_MIN.toNanos()) {
            throw before;
        }
        if (named == null) {
            throw new IOException("transport " + name + " is not known while the hive is locked");
        }
        try {
            known = named.open();
        } catch (AwayException e) {
            away = e;
            awayAt = System.nanoTime();
            throw e;
        }
        open = known;
        return known;
    }

    @Override
    public List<Domain> domains() throws IOException {
        return carrier().domains();
    }

    /// Sends `envelope`, or keeps it: in the mirror under a lock, in the outbox if nobody answers.
    @Override
    public Receipt send(Envelope envelope) throws IOException, NoSuchInboxException {
        return post(envelope, () -> sendFree(envelope));
    }

    /// Keeps `envelope` in the outbox until its inboxes can be made there, which `lock` forbids:
    /// the other side can't keep that with the mail.
    @Override
    public Receipt keepToCreate(Envelope envelope, WithheldException lock)
            throws IOException, NoSuchInboxException {
        String reason = name + " is under lock " + lock.verdict().lock().kind();
        return post(envelope, () -> elsewhere().outbox(name).keepToCreate(envelope, reason));
    }

    /// What is done with mail that may go.
    private interface Posting {
        Receipt post() throws IOException, NoSuchInboxException;
    }

    private Receipt post(Envelope envelope, Posting posting)
            throws IOException, NoSuchInboxException {
        try {
            elsewhere().requireFree();
            if (!envelope.consent().allows(reach())) {
                return Receipt.forAll(
                        envelope,
                        envelope.to(),
                        new SendResult.BeyondConsent(envelope.consent(), reach()));
            }
            return posting.post();
        } catch (WithheldException e) {
            return elsewhere().keep(name, envelope, TypedHive.missing(call), e);
        }
    }

    private Receipt sendFree(Envelope envelope) throws IOException, NoSuchInboxException {
        Outbox outbox = elsewhere().outbox(name);
        if (isCarrier()) {
            return sendKept(outbox, envelope);
        }
        Receipt receipt;
        try {
            receipt = transport().send(envelope);
        } catch (AwayException e) {
            return keep(outbox, envelope, isAway(e));
        }
        journal().sent(envelope, receipt);
        @Nullable String unsure = unsure(receipt);
        if (unsure != null) {
            return partly(receipt, keep(outbox, envelope, unsure));
        }
        forward(outbox);
        return receipt;
    }

    /// A broker keeps nothing: mail is kept here until somebody has confirmed it.
    private Receipt sendKept(Outbox outbox, Envelope envelope) throws IOException {
        Receipt receipt = outbox.send(envelope, carrier());
        boolean isAnswered =
                receipt.copies().stream()
                        .noneMatch(copy -> copy.result() instanceof SendResult.Spooled);
        if (isAnswered) {
            forward(outbox);
        }
        return receipt;
    }

    /// What waits goes in passing; if it can't, it waits on: what was sent is sent all the same.
    private void forward(Outbox outbox) {
        try {
            Outbox.Forwarded _ = outbox.forward(carrier(), SOME, Outbox.Pace.WHEN_DUE);
        } catch (WithheldException e) {
            // A lock was set just now.
        } catch (IOException e) {
            call.warn("what waits for " + name + " waits on: " + FileProblem.describe(e));
        }
    }

    private String isAway(AwayException e) {
        return name + " is away: " + e.getMessage();
    }

    private Receipt keep(Outbox outbox, Envelope envelope, String reason) throws IOException {
        return switch (TypedHive.missing(call)) {
            case IS_MADE -> outbox.keepToCreate(envelope, reason);
            case FAILS -> outbox.keep(envelope, reason);
        };
    }

    /// Why a copy may not have arrived, so that all are sent again; null if each got an answer.
    private @Nullable String unsure(Receipt receipt) {
        for (Receipt.Copy copy : receipt.copies()) {
            switch (copy.result()) {
                case SendResult.Failed(AwayException away) -> {
                    return isAway(away);
                }
                case SendResult.Unanswered(var _, var reason) -> {
                    return name + ": " + reason;
                }
                default -> {}
            }
        }
        return null;
    }

    private static boolean isUnsure(Receipt.Copy copy) {
        return copy.result() instanceof SendResult.Failed(AwayException _)
                || copy.result() instanceof SendResult.Unanswered;
    }

    /// What arrived as it did, and the rest as it is kept.
    private static Receipt partly(Receipt receipt, Receipt kept) {
        List<Receipt.Copy> copies = new ArrayList<>();
        for (Receipt.Copy copy : receipt.copies()) {
            copies.add(
                    isUnsure(copy)
                            ? new Receipt.Copy(
                                    copy.address(), copy.inbox(), kept.copies().getFirst().result())
                            : copy);
        }
        return new Receipt(receipt.id(), receipt.hash(), copies, receipt.waited());
    }

    /// Waits until the copy in `inbox` has ended, and returns how; empty if nobody said so in time.
    @Override
    public Optional<State> awaitEnd(Envelope envelope, Domain inbox, Duration patience)
            throws IOException {
        if (named == null) {
            return Optional.empty();
        }
        try (MqttCarrier broker = named.broker(usual -> usual)) {
            return broker.awaitEnd(envelope, inbox, patience, elsewhere()::requireFree);
        }
    }

    @Override
    public ViaInbox inbox(Domain domain) throws IOException, NoSuchInboxException {
        return new ViaInbox(call, this, transport().inbox(domain));
    }

    @Override
    public List<HeldClaims.Held> heldAs(String said) throws IOException {
        return new ViaLookup(this).held(said);
    }

    @Override
    public Letter letter(OpenHive hive, String said) throws IOException {
        return new ViaLookup(this).letter(hive, said);
    }

    @Override
    public Optional<Letter> find(OpenHive hive, EnvelopeId id) throws IOException {
        return new ViaLookup(this).find(hive, id);
    }

    @Override
    public void close() throws IOException {
        Carrier known = open;
        if (known != null) {
            known.close();
        }
    }
}
