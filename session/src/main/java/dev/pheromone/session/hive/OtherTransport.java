package dev.pheromone.session.hive;

import dev.pheromone.AwayException;
import dev.pheromone.Capability;
import dev.pheromone.Carrier;
import dev.pheromone.Ended;
import dev.pheromone.Inbox;
import dev.pheromone.Lag;
import dev.pheromone.Outcome;
import dev.pheromone.Receipt;
import dev.pheromone.SendResult;
import dev.pheromone.State;
import dev.pheromone.Transport;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.address.Reach;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.file.FileTransport;
import dev.pheromone.file.embargo.MissingInbox;
import dev.pheromone.file.remote.HeldClaims;
import dev.pheromone.file.remote.Outbox;
import dev.pheromone.file.remote.RemoteJournal;
import dev.pheromone.file.remote.RemoteRecords;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.mqtt.MqttCarrier;
import dev.pheromone.selection.Urgency;
import dev.pheromone.selection.Waiting;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.FileProblem;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.caller.ProblemException.Code;
import dev.pheromone.trust.SignatureCheck;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// A transport of hive.yaml, under this hive's locks and with a record in this hive's log. Nothing
/// is connected before the first use.
public final class OtherTransport extends GuardedTransport {

    /// How long a transport that was away is not tried again.
    private static final Duration AWAY_MIN = Duration.ofSeconds(2);

    /// How many envelopes that wait in the outbox are sent on in passing: more would hold up
    /// whoever sends.
    private static final int SENT_ON_MAX = 32;

    /// How much of what ended there is looked at; each copy may be a question to the other side.
    private static final int LOOKED_AT_MAX = 1_000;

    private final Caller caller;
    private final OpenHive hive;
    private final FileTransport local;
    private final String title;
    private final @Nullable NamedTransport named;

    /// Each inbox knows what was taken from it.
    private final Map<Domain, OtherInbox> inboxes = new ConcurrentHashMap<>();

    private @Nullable Carrier open;
    private @Nullable AwayException away;
    private long awayAt;

    /// The transport that hive.yaml calls `title`. Under a lock nobody knows which there are, and
    /// nothing goes by any.
    ///
    /// @param httpTries how often a call over HTTP is made before it fails
    OtherTransport(Caller caller, OpenHive hive, String title, int httpTries) {
        this.caller = caller;
        this.hive = hive;
        this.local = hive.transport();
        this.title = title;
        this.named =
                local.isWithheld() && !local.config().transports().containsKey(title)
                        ? null
                        : NamedTransport.of(caller, local, title, httpTries);
    }

    @Override
    public Optional<String> name() {
        return Optional.of(title);
    }

    /// What hive.yaml calls the transport.
    public String title() {
        return title;
    }

    private RemoteRecords remote() {
        return local.remote();
    }

    /// Fails while a lock forbids that anything goes over a network.
    void requireFree() throws IOException {
        remote().requireFree();
    }

    /// The record of what went and came.
    RemoteJournal journal() throws IOException {
        return remote().journal(title);
    }

    /// The claims that callers of this hive hold there.
    HeldClaims held() {
        return remote().held(title);
    }

    /// Those of the claims that `said` means: an id, the end of one, or a claim's name.
    List<HeldClaims.Held> heldAs(String said) throws IOException {
        return new OtherLookup(hive, this).held(said);
    }

    @Override
    public Reach reach() {
        return named == null ? Reach.PUBLIC : named.reach();
    }

    @Override
    public Set<Capability> capabilities() {
        try {
            return opened().capabilities();
        } catch (IOException e) {
            return Set.of();
        }
    }

    @Override
    public Lag lag() {
        try {
            return opened() instanceof Transport transport ? transport.lag() : Lag.NONE;
        } catch (IOException e) {
            return Lag.NONE;
        }
    }

    /// Whether mail is only carried: then nothing can be looked for, taken or made there.
    boolean isCarrier() {
        return named != null && named.config().isCarrier();
    }

    /// The error of whoever asks a transport that only carries for an inbox.
    ProblemException onlyCarries() {
        return new ProblemException(
                        Code.USAGE,
                        "transport "
                                + title
                                + " is an MQTT broker, which carries mail and keeps none: it has no"
                                + " inboxes to look into, take from or make")
                .hint(
                        "receive its mail into a hive and work on it there without --via, or use a"
                                + " transport over HTTP or NATS:")
                .fix("rsm bridge . " + title + " --back code");
    }

    /// The transport itself, for whatever no lock forbids now; fails if it only carries.
    private Transport storing() throws IOException {
        requireFree();
        if (opened() instanceof Transport transport) {
            return transport;
        }
        throw onlyCarries();
    }

    /// What carries mail, for whatever no lock forbids now.
    public Carrier carrier() throws IOException {
        requireFree();
        return opened();
    }

    /// What carries mail, for what was begun before a lock was set.
    private synchronized Carrier opened() throws IOException {
        Carrier known = open;
        if (known != null) {
            return known;
        }
        AwayException before = away;
        if (before != null && System.nanoTime() - awayAt < AWAY_MIN.toNanos()) {
            throw before;
        }
        if (named == null) {
            throw new IOException("transport " + title + " is not known while the hive is locked");
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

    @Override
    public List<String> troubles() throws IOException {
        return carrier().troubles();
    }

    @Override
    public void createInbox(Domain inbox) throws IOException {
        storing().createInbox(inbox);
    }

    @Override
    public Optional<Found> find(EnvelopeId id) throws IOException {
        return storing().find(id);
    }

    @Override
    public Optional<State> stateOf(EnvelopeId id, Domain inbox) throws IOException {
        return isCarrier() ? Optional.empty() : storing().stateOf(id, inbox);
    }

    @Override
    public Optional<List<Ended>> ended(int countMax) throws IOException {
        return storing().ended(countMax);
    }

    /// An inbox that was opened before a lock was set is still given out: what was taken from it
    /// has to be settled, and the inbox itself hands out nothing under a lock.
    @Override
    public Inbox inbox(Domain domain) throws IOException, NoSuchInboxException {
        OtherInbox known = inboxes.get(domain);
        if (known == null) {
            known = new OtherInbox(caller, this, storing().inbox(domain));
            inboxes.put(domain, known);
        }
        return known;
    }

    @Override
    public Receipt send(Envelope envelope, MissingInbox missing)
            throws IOException, NoSuchInboxException {
        if (isCarrier() && missing == MissingInbox.IS_MADE) {
            throw onlyCarries();
        }
        try {
            requireFree();
            if (!envelope.consent().allows(reach())) {
                return Receipt.forAll(
                        envelope,
                        envelope.to(),
                        new SendResult.BeyondConsent(envelope.consent(), reach()));
            }
            Outbox outbox = remote().outbox(title);
            return isCarrier()
                    ? sendKept(outbox, envelope)
                    : sendToStore(outbox, envelope, missing);
        } catch (WithheldException e) {
            return remote().keep(title, envelope, missing, e);
        }
    }

    private Receipt sendToStore(Outbox outbox, Envelope envelope, MissingInbox missing)
            throws IOException, NoSuchInboxException {
        Receipt receipt;
        try {
            makeInboxes(envelope, missing);
            receipt = storing().send(envelope);
        } catch (LockedThereException e) {
            return outbox.keepToCreate(envelope, String.valueOf(e.getMessage()));
        } catch (AwayException e) {
            return keep(outbox, envelope, missing, isAway(e));
        }
        journal().sent(envelope, receipt);
        @Nullable String unsure = unsure(receipt);
        if (unsure != null) {
            return partly(receipt, keep(outbox, envelope, missing, unsure));
        }
        sendOn(outbox);
        return receipt;
    }

    /// A lock of the other side, which forbids to make an inbox there. That side can't keep with
    /// the mail that its inboxes are to be made.
    private static final class LockedThereException extends IOException {
        private static final long serialVersionUID = 1L;

        LockedThereException(String message, WithheldException cause) {
            super(message, cause);
        }
    }

    private void makeInboxes(Envelope envelope, MissingInbox missing) throws IOException {
        Transport there = storing();
        for (Address address : envelope.to()) {
            if (missing.makes(address)) {
                try {
                    there.createInbox(address.domain());
                } catch (WithheldException e) {
                    throw new LockedThereException(
                            title + " is under lock " + e.verdict().lock().kind(), e);
                }
            }
        }
    }

    /// A broker keeps nothing: mail is kept here until somebody has confirmed it.
    private Receipt sendKept(Outbox outbox, Envelope envelope) throws IOException {
        Receipt receipt = outbox.send(envelope, carrier());
        boolean isAnswered =
                receipt.copies().stream()
                        .noneMatch(copy -> copy.result() instanceof SendResult.Spooled);
        if (isAnswered) {
            sendOn(outbox);
        }
        return receipt;
    }

    /// Sends on what waits, in passing; if that fails, what was sent is sent all the same.
    private void sendOn(Outbox outbox) {
        try {
            Outbox.Forwarded _ = outbox.forward(carrier(), SENT_ON_MAX, Outbox.Pace.WHEN_DUE);
        } catch (WithheldException e) {
            // A lock was set just now.
        } catch (IOException e) {
            caller.warn("what waits for " + title + " waits on: " + FileProblem.describe(e));
        }
    }

    private String isAway(AwayException e) {
        return title + " is away: " + e.getMessage();
    }

    private static Receipt keep(
            Outbox outbox, Envelope envelope, MissingInbox missing, String reason)
            throws IOException {
        return switch (missing) {
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
                    return title + ": " + reason;
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

    /// Sends one copy on from another transport. What can't be sent now stays where it is, and is
    /// not kept here.
    @Override
    public Receipt send(Envelope envelope, Domain inbox) throws IOException, NoSuchInboxException {
        Receipt receipt = carrier().send(envelope, inbox);
        journal().sent(envelope, receipt);
        return receipt;
    }

    @Override
    public void requireEnds() {
        if (!isCarrier()) {
            super.requireEnds();
        }
    }

    @Override
    public Optional<State> awaitEnd(Envelope envelope, Domain inbox, Duration patience)
            throws IOException {
        requireEnds();
        if (named == null) {
            return Optional.empty();
        }
        try (MqttCarrier broker = named.broker(usual -> usual)) {
            return broker.awaitEnd(envelope, inbox, patience, this::requireFree);
        }
    }

    @Override
    public void makeRoomForAnswers() throws IOException {
        // What can't be opened takes no mail either, and says why as the error.
        var _ = storing();
        try {
            hive.makeOwnInbox();
        } catch (WithheldException | AwayException e) {
            throw e;
        } catch (IOException e) {
            // A server that lets nobody make inboxes may still take mail.
            caller.warn("there is no inbox for answers: " + FileProblem.describe(e));
        }
    }

    /// Another transport does not tell who took mail.
    @Override
    public boolean mayHaveTaken(Actor actor, EnvelopeId id, Domain inbox) {
        return true;
    }

    @Override
    public void requireChoice() {
        throw new ProblemException(
                        Code.USAGE, title + " hands out mail in its own order, expected no --via")
                .in("id")
                .hint("to take what comes next there:")
                .fix("rsm select --via " + title);
    }

    @Override
    public boolean hasChoice() {
        return false;
    }

    @Override
    public List<StoredMail> stored(Domain inbox, Instant since, StoredMail.Wanted wanted)
            throws IOException, NoSuchInboxException {
        return storedAndWaiting(inbox, wanted);
    }

    /// Another transport shows what waits and not whose turn it is: the most urgent copy that is
    /// ready.
    @Override
    public Optional<Take.Next> next(Domain domain) throws IOException {
        Instant now = caller.now();
        List<Waiting.Mail> ready = new ArrayList<>();
        for (Waiting item : hive.inbox(domain.address()).waiting()) {
            if (item instanceof Waiting.Mail mail
                    && mail.urgency().isReady(now)
                    && !mail.urgency().isExpired(now)) {
                ready.add(mail);
            }
        }
        for (Waiting.Mail mail : ready) {
            Optional<OpenedCopy> opened = opened(domain, mail);
            if (opened.isPresent() && isDeliverable(opened.get())) {
                return Optional.of(
                        new Take.Next(
                                opened.get(),
                                mail.urgency().rationale(Urgency.Turn.NORMAL, ready.size(), now)));
            }
        }
        return Optional.empty();
    }

    /// What is not as its sender wrote it would be archived and not taken.
    private static boolean isDeliverable(OpenedCopy opened) {
        return opened.envelope().hashMatches() && !(opened.check() instanceof SignatureCheck.Bad);
    }

    /// A call for each envelope would cost more than the answer is worth.
    @Override
    public Optional<String> signature(Domain inbox, Waiting.Mail mail) {
        return Optional.of(mail.header().signed() ? "unchecked" : "unsigned");
    }

    /// When a copy ended may not be known: then no time leaves it out.
    @Override
    public Archived archived(@Nullable State state, @Nullable Instant since, int countMax)
            throws IOException {
        List<Ended> all =
                ended(LOOKED_AT_MAX)
                        .orElseThrow(() ->
                                new ProblemException(
                                                Code.USAGE,
                                                "transport "
                                                        + title
                                                        + ": it does not show what ended there,"
                                                        + " expected NATS or MQTT")
                                        .hint(
                                                "where the hive is served, in its own folder:  rsm"
                                                        + " archive"));
        List<ArchivedCopy> copies = new ArrayList<>();
        for (Ended one : all) {
            boolean isOld = since != null && one.at() != null && one.at().isBefore(since);
            if ((state == null || state == one.state()) && !isOld) {
                copies.add(
                        new ArchivedCopy(
                                one.id(),
                                one.inbox(),
                                one.state(),
                                one.at(),
                                one.location(),
                                one.header(),
                                one.reason()));
            }
        }
        return new Archived(
                copies.size() > countMax ? copies.subList(0, countMax) : copies, copies.size());
    }

    @Override
    public OpenedCopy opened(String said) throws IOException {
        return new OtherLookup(hive, this).opened(said);
    }

    @Override
    public Optional<OpenedCopy> opened(Domain inbox, Waiting.Mail mail) throws IOException {
        return new OtherLookup(hive, this).find(mail.header().id());
    }

    @Override
    public Raw raw(String said, @Nullable String doing) throws IOException {
        OpenedCopy opened = opened(said);
        sensed(opened.envelope(), doing);
        return new Raw(opened.path(), opened.envelope().bytes());
    }

    @Override
    public void sensed(Envelope envelope, @Nullable String doing) throws IOException {
        journal().sensed(envelope, caller.actor(), doing);
    }

    /// Of mail on another transport only what callers of this hive took is known.
    @Override
    public ClaimNames.Before before(
            Domain inbox, EnvelopeId id, Actor holder, int attempt, String token)
            throws IOException {
        if (held().wasReleased(inbox, id, holder, attempt)) {
            return ClaimNames.Before.THIS_ATTEMPT;
        }
        return attempt == 1 ? ClaimNames.Before.NOTHING : ClaimNames.Before.OTHER_ATTEMPTS;
    }

    @Override
    public ClaimLookup.Found claim(String said) throws IOException {
        return new ClaimLookup(caller, hive).findAt(this, said);
    }

    /// What was said to be done stays done, as over files.
    @Override
    public @Nullable EnvelopeId doneBefore(String said) throws IOException {
        int dot = said.indexOf('.');
        return dot >= 0 && EnvelopeId.isId(said.substring(0, dot)) && held().isDone(said)
                ? EnvelopeId.parse(said.substring(0, dot))
                : null;
    }

    @Override
    public void noteDone(String token) {
        try {
            held().noteDone(token);
        } catch (IOException e) {
            // A lock, or a full disk: what is done is done.
            caller.warn("the outcome is not noted here: " + FileProblem.describe(e));
        }
    }

    @Override
    public Ack.Fate hidden(WithheldException lock) {
        local.report(lock);
        return new Ack.Fate.NotSaid(title);
    }

    @Override
    public Ack.Fate keep(
            String said, Outcome outcome, @Nullable Body reply, WithheldException lock) {
        return hidden(lock);
    }

    @Override
    public void close() throws IOException {
        Carrier known = open;
        if (known != null) {
            known.close();
        }
    }
}
