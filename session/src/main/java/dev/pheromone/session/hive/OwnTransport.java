package dev.pheromone.session.hive;

import dev.pheromone.Capability;
import dev.pheromone.Inbox;
import dev.pheromone.Outcome;
import dev.pheromone.Receipt;
import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.address.Reach;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.file.FileTransport;
import dev.pheromone.file.embargo.MissingInbox;
import dev.pheromone.file.embargo.OtherOutcomeException;
import dev.pheromone.file.inbox.Preview;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseLog.Durability;
import dev.pheromone.selection.Waiting;
import dev.pheromone.session.caller.Caller;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.caller.ProblemException.Code;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The hive's own inboxes. The file transport itself keeps locks and consent, looks through public
/// mail, and writes the log.
sealed class OwnTransport extends GuardedTransport permits CarriedTransport {

    private final Caller caller;
    private final OpenHive hive;
    private final FileTransport files;

    OwnTransport(Caller caller, OpenHive hive) {
        this.caller = caller;
        this.hive = hive;
        this.files = hive.transport();
    }

    @Override
    public Optional<String> name() {
        return Optional.empty();
    }

    @Override
    public Reach reach() {
        return files.reach();
    }

    @Override
    public Set<Capability> capabilities() {
        return files.capabilities();
    }

    @Override
    public Receipt send(Envelope envelope, MissingInbox missing)
            throws IOException, NoSuchInboxException {
        return files.send(envelope, missing);
    }

    @Override
    public Receipt send(Envelope envelope, Domain inbox) throws IOException, NoSuchInboxException {
        return files.send(envelope, inbox);
    }

    @Override
    public List<Domain> domains() throws IOException {
        return files.domains();
    }

    @Override
    public boolean hasInbox(Domain inbox) throws IOException {
        return files.hasInbox(inbox);
    }

    @Override
    public void createInbox(Domain inbox) throws IOException {
        files.createInbox(inbox);
    }

    @Override
    public Optional<Found> find(EnvelopeId id) throws IOException {
        return files.find(id);
    }

    @Override
    public Optional<State> stateOf(EnvelopeId id, Domain inbox) throws IOException {
        return files.stateOf(id, inbox);
    }

    @Override
    public Inbox inbox(Domain domain) throws IOException, NoSuchInboxException {
        return files.inbox(domain);
    }

    @Override
    public void makeRoomForAnswers() throws IOException {
        hive.makeOwnInbox();
    }

    @Override
    public boolean mayHaveTaken(Actor actor, EnvelopeId id, Domain inbox) throws IOException {
        return hive.catalog().history(inbox, id).stream()
                .anyMatch(step ->
                        step.optionalText("what").filter("claim"::equals).isPresent()
                                && step.optionalText("by")
                                        .filter(actor.name()::equals)
                                        .isPresent());
    }

    @Override
    public Optional<Take.Next> next(Domain inbox) throws IOException {
        while (true) {
            Optional<Preview> preview = files.picking(inbox).preview();
            if (preview.isEmpty()) {
                return Optional.empty();
            }
            Optional<OpenedCopy> opened = opened(inbox, preview.get().mail());
            if (opened.isPresent()) {
                return Optional.of(new Take.Next(opened.get(), preview.get().rationale()));
            }
            // Somebody took the copy: the next one is shown.
        }
    }

    @Override
    public Integer active(Domain inbox) throws IOException {
        return hive.catalog().active(inbox).size();
    }

    @Override
    public void reap(Domain inbox) throws IOException {
        try {
            files.reap(inbox);
        } catch (WithheldException e) {
            // What waits can be seen all the same, if only the log is locked.
        }
    }

    @Override
    public void tellIfKept(Instant expiresAt) throws IOException {
        hive.tellIfKept(expiresAt);
    }

    @Override
    public Optional<String> signature(Domain inbox, Waiting.Mail mail) throws IOException {
        try {
            return opened(inbox, mail).map(opened -> OpenedCopy.word(opened.check()));
        } catch (ProblemException e) {
            return Optional.of("bad");
        }
    }

    @Override
    public Archived archived(@Nullable State state, @Nullable Instant since, int countMax)
            throws IOException {
        return new Archives(hive).look(state, since, countMax);
    }

    @Override
    public List<StoredMail> stored(Domain inbox, Instant since, StoredMail.Wanted wanted)
            throws IOException, NoSuchInboxException {
        // In the order in which mail moves on: what goes on meanwhile is met there.
        List<StoredMail> stored = new ArrayList<>(storedAndWaiting(inbox, wanted));
        stored.addAll(StoredMail.active(hive, inbox, wanted));
        stored.addAll(StoredMail.ended(hive, inbox, since, wanted));
        return stored;
    }

    @Override
    public List<StoredMail> open(Domain inbox, StoredMail.Wanted wanted)
            throws IOException, NoSuchInboxException {
        List<StoredMail> open = new ArrayList<>(storedAndWaiting(inbox, wanted));
        open.addAll(StoredMail.active(hive, inbox, wanted));
        return open;
    }

    @Override
    public OpenedCopy opened(String said) throws IOException {
        Lookup lookup = new Lookup(hive);
        return lookup.first(said, lookup::open);
    }

    @Override
    public Optional<OpenedCopy> opened(Domain inbox, Waiting.Mail mail) throws IOException {
        return new Lookup(hive).open(inbox, mail);
    }

    @Override
    public Raw raw(String said, @Nullable String doing) throws IOException {
        return new Lookup(hive)
                .first(said, item -> new Raw(item.location(), hive.catalog().read(item)));
    }

    @Override
    public void sensed(Envelope envelope, @Nullable String doing) throws IOException {
        hive.log()
                .append(
                        new RseEvent.PheromoneSense(
                                        caller.now(),
                                        envelope.lane(),
                                        caller.actor(),
                                        envelope.id().text(),
                                        doing)
                                .withConsent(envelope.consent()),
                        Durability.GROUPED);
    }

    @Override
    public ClaimNames.Before before(
            Domain inbox, EnvelopeId id, Actor holder, int attempt, String token)
            throws IOException {
        return new ClaimNames(hive).beforeHere(inbox, id, holder, attempt, token);
    }

    @Override
    public ClaimLookup.Found claim(String said) throws IOException {
        return new ClaimLookup(caller, hive).findHere(said);
    }

    @Override
    public ClaimLookup.Search claimOrTake(String said) throws IOException {
        return new ClaimLookup(caller, hive).findOrTakeHere(said);
    }

    @Override
    public Ack.Fate hidden(WithheldException lock) {
        files.report(lock);
        return new Ack.Fate.NotNeeded();
    }

    @Override
    public Ack.Fate keep(String said, Outcome outcome, @Nullable Body reply, WithheldException lock)
            throws IOException {
        if (!ShortClaim.isWhole(said)) {
            files.report(lock);
            return new Ack.Fate.NotKept();
        }
        try {
            String file = files.embargo().keepOutcome(said, outcome, lock);
            return new Ack.Fate.Kept(file, reply == null ? null : keep(said, reply));
        } catch (OtherOutcomeException other) {
            throw new ProblemException(Code.CONFLICT, String.valueOf(other.getMessage()), other)
                    .hint("it is applied when the lock is lifted; nothing was changed");
        } catch (IllegalArgumentException malformed) {
            throw new ProblemException(
                    Code.USAGE, String.valueOf(malformed.getMessage()), malformed);
        }
    }

    /// Keeps the reply, too: whom it is for can't be looked up, so whoever wrote it sends it later.
    private String keep(String claim, Body reply) throws IOException {
        byte[] body = reply.read();
        try {
            return files.embargo().keepReply(claim, body);
        } catch (WithheldException e) {
            return "";
        }
    }

    @Override
    public void close() throws IOException {
        // The hive closes its files itself.
    }
}
