package dev.pheromone.file.remote;

import dev.pheromone.AwayException;
import dev.pheromone.Carrier;
import dev.pheromone.HiveConfig;
import dev.pheromone.NotLetInException;
import dev.pheromone.Receipt;
import dev.pheromone.SendResult;
import dev.pheromone.State;
import dev.pheromone.Transport;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.file.copy.Archive;
import dev.pheromone.file.copy.Copies;
import dev.pheromone.file.copy.FileLimits;
import dev.pheromone.file.embargo.MissingInbox;
import dev.pheromone.file.remote.OutboxNotes.AtBroker;
import dev.pheromone.file.remote.OutboxNotes.Ending;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.WithheldException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// How one mail of an [Outbox] leaves it: sent on, or ended in the archive.
final class OutboxExit {

    /// How long mail that a broker has is not sent again, at most. Between the two it is as long as
    /// it took so far.
    private static final Duration AGAIN_MAX = Duration.ofHours(1);

    /// Why mail ended here that nobody confirmed in time. Whoever sent it may have died, or have
    /// lost the connection, before the answer: nobody knows that the mail never left.
    private static final String EXPIRED = "expired, arrival unknown";

    /// What the name of a torn file begins with in the archive.
    private static final String TORN = "torn";

    private static final Fate STAYS = new Fate.Stays(null);

    private final Disk files;
    private final HiveLayout layout;
    private final HiveConfig config;
    private final FileLimits limits;
    private final Copies copies;
    private final InstantSource clock;
    private final Outbox outbox;
    private final OutboxNotes notes;
    private final String transport;
    private final RemoteJournal journal;
    private final Archive archive;

    OutboxExit(
            Disk files,
            HiveLayout layout,
            HiveConfig config,
            FileLimits limits,
            Copies copies,
            InstantSource clock,
            Outbox outbox,
            OutboxNotes notes,
            String transport) {
        this.files = files;
        this.layout = layout;
        this.config = config;
        this.limits = limits;
        this.copies = copies;
        this.clock = clock;
        this.outbox = outbox;
        this.notes = notes;
        this.transport = transport;
        this.journal = new RemoteJournal(copies, clock, transport);
        this.archive = new Archive(files, layout);
    }

    /// What became of one.
    sealed interface Fate {

        /// It has arrived.
        record Sent() implements Fate {}

        /// It never will, and is in the archive.
        record Ended() implements Fate {}

        /// It waits on.
        ///
        /// @param why what failed; null if nothing did
        record Stays(@Nullable IOException why) implements Fate {}
    }

    /// Nothing of the hive is held while the other side is asked: who sets a lock waits for no
    /// network.
    ///
    /// @param silent the inboxes that gave no answer in this round, and are not waited for again
    Fate forward(Path file, Carrier to, Outbox.Pace pace, Set<Domain> silent) throws IOException {
        Outbox.Sight sight = outbox.look(file);
        if (endIfOver(file, sight)) {
            return new Fate.Ended();
        }
        if (!(sight instanceof Outbox.Sight.Mail(var envelope))) {
            return STAYS;
        }
        Map<Domain, Address> targets = unsettled(envelope);
        if (targets.isEmpty()) {
            return leave(file, envelope, endings(envelope));
        }
        Optional<AtBroker> before = notes.atBroker(envelope.id());
        boolean isEarly =
                pace == Outbox.Pace.WHEN_DUE && before.isPresent() && !isDue(before.get());
        if (isEarly || silent.containsAll(targets.keySet())) {
            return new Fate.Stays(silence(before).orElse(null));
        }
        files.require(file, Access.ERASE);
        files.require(layout.log(), Access.WRITE);
        Receipt receipt;
        try {
            if (!areInboxesMade(envelope, to)) {
                return STAYS;
            }
            receipt = send(envelope, to, targets);
        } catch (AwayException | NotLetInException | WithheldException | InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            // Somebody is there and does not take this one; others may pass.
            return stays(file, e);
        }
        silent.addAll(unanswered(receipt));
        return judge(file, envelope, receipt, to);
    }

    private boolean isDue(AtBroker before) {
        Duration pause = Duration.between(before.since(), before.last());
        Duration atLeast = pause.compareTo(Outbox.SILENCE_MAX) < 0 ? Outbox.SILENCE_MAX : pause;
        Duration wait = atLeast.compareTo(AGAIN_MAX) > 0 ? AGAIN_MAX : atLeast;
        return !clock.instant().isBefore(before.last().plus(wait));
    }

    /// That nobody receives for the inboxes that did not answer, once that is sure enough to be
    /// said.
    private Optional<IOException> silence(Optional<AtBroker> before) {
        if (before.isEmpty()) {
            return Optional.empty();
        }
        Duration silent = Duration.between(before.get().since(), clock.instant());
        if (silent.compareTo(Outbox.SILENCE_MAX) < 0) {
            return Optional.empty();
        }
        List<String> names = before.get().silent().stream().map(Domain::name).toList();
        return Optional.of(
                new IOException(
                        "nobody receives for inbox %s: no receipt for %d s"
                                .formatted(String.join(", ", names), silent.toSeconds())));
    }

    /// The inboxes whose copies a broker has, and no receiver confirmed.
    private static List<Domain> unanswered(Receipt receipt) {
        List<Domain> inboxes = new ArrayList<>();
        for (Receipt.Copy copy : receipt.copies()) {
            if (copy.result() instanceof SendResult.Unanswered(var at, var _)
                    && at == SendResult.Place.BROKER) {
                inboxes.add(copy.inbox());
            }
        }
        return inboxes;
    }

    /// Sends mail that was put here a moment ago by whoever is told what became of each copy: what
    /// is answered needs no other trace.
    Receipt sendFresh(Path file, Envelope envelope, Carrier to) throws IOException {
        Receipt receipt;
        try {
            receipt = sendIfThere(envelope, to, unsettled(envelope));
        } catch (NotLetInException e) {
            remove(file, envelope);
            throw e;
        }
        List<Receipt.Copy> open = receipt.copies().stream().filter(OutboxExit::isOpen).toList();
        try (Disk.Operation _ = files.begin()) {
            journal.sent(envelope, receipt);
            if (open.isEmpty()) {
                remove(file, envelope);
                return receipt;
            }
            journal.spooled(
                    envelope, layout.nameOf(file), open.getFirst().result().why(), clock.instant());
            note(envelope, receipt, to);
        } catch (IOException e) {
            // A lock, or a full disk: what was answered is answered, and what is here is sent
            // again, to somebody who knows it.
            copies.journal().trouble(layout.nameOf(file), e);
        }
        return kept(file, receipt);
    }

    /// Sends mail that waits here already, whose sender may have been told so: what never arrives
    /// ends as it does in a round.
    Receipt sendAgain(Path file, Envelope envelope, Carrier to) throws IOException {
        Map<Domain, @Nullable Ending> before = notes.settled(envelope.id());
        Receipt receipt = sendIfThere(envelope, to, unsettled(envelope));
        try {
            Fate _ = judge(file, envelope, receipt, to);
        } catch (IOException e) {
            // As for fresh mail: what was answered is answered.
            copies.journal().trouble(layout.nameOf(file), e);
        }
        return kept(file, withSettled(envelope, receipt, before));
    }

    /// @param targets the inboxes whose copies are not settled
    private Receipt sendIfThere(Envelope envelope, Carrier to, Map<Domain, Address> targets)
            throws IOException {
        String problem;
        try {
            return send(envelope, to, targets);
        } catch (NotLetInException | InterruptedIOException e) {
            throw e;
        } catch (AwayException e) {
            problem = transport + " is away: " + e.getMessage();
        } catch (IOException e) {
            problem = transport + ": " + e.getMessage();
        }
        List<Receipt.Copy> copies = new ArrayList<>();
        SendResult here = new SendResult.Unanswered(SendResult.Place.HERE, problem);
        targets.forEach((inbox, address) -> copies.add(new Receipt.Copy(address, inbox, here)));
        return new Receipt(envelope.id(), envelope.hash(), copies);
    }

    /// Whether a copy may arrive by being sent again, and its sender is not told otherwise.
    private static boolean isOpen(Receipt.Copy copy) {
        return switch (copy.result()) {
            case SendResult.Unanswered _, SendResult.Unconfirmed _ -> true;
            case SendResult.Withheld(var _, var _, var embargo) -> embargo.isEmpty();
            case SendResult.Failed(var cause) -> cause instanceof AwayException;
            case SendResult.Delivered _,
                    SendResult.Duplicate _,
                    SendResult.Conflict _,
                    SendResult.Refused _,
                    SendResult.Parked _,
                    SendResult.Spooled _,
                    SendResult.BeyondConsent _,
                    SendResult.NotPublic _,
                    SendResult.Rejected _ ->
                    false;
        };
    }

    /// The receipt as its sender sees it: what is open is kept here.
    private Receipt kept(Path file, Receipt receipt) {
        List<Receipt.Copy> copies = new ArrayList<>();
        for (Receipt.Copy copy : receipt.copies()) {
            SendResult.Place at =
                    copy.result() instanceof SendResult.Unanswered(var place, var _)
                            ? place
                            : SendResult.Place.HERE;
            copies.add(
                    isOpen(copy)
                            ? new Receipt.Copy(
                                    copy.address(),
                                    copy.inbox(),
                                    new SendResult.Spooled(
                                            layout.nameOf(file), at, copy.result().why()))
                            : copy);
        }
        return new Receipt(receipt.id(), receipt.hash(), copies, receipt.waited());
    }

    /// With the copies that were settled before.
    private Receipt withSettled(
            Envelope envelope, Receipt receipt, Map<Domain, @Nullable Ending> before) {
        Map<Domain, Address> targets = targets(envelope);
        List<Receipt.Copy> copies = new ArrayList<>(receipt.copies());
        before.forEach((inbox, ending) -> {
            if (copies.stream().noneMatch(copy -> copy.inbox().equals(inbox))) {
                copies.add(
                        new Receipt.Copy(
                                targets.getOrDefault(inbox, inbox.address()),
                                inbox,
                                result(inbox, ending)));
            }
        });
        return new Receipt(receipt.id(), receipt.hash(), copies, receipt.waited());
    }

    /// What is said of a copy that was settled before.
    private SendResult result(Domain inbox, @Nullable Ending ending) {
        String location = transport + ":" + inbox;
        if (ending == null) {
            return new SendResult.Duplicate(location);
        }
        if (ending.isInboxMissing()) {
            return new SendResult.Rejected(SendResult.Ground.NO_SUCH_INBOX, ending.reason());
        }
        return ending.state() == State.CONFLICT
                ? new SendResult.Conflict(location, ending.reason())
                : new SendResult.Rejected(SendResult.Ground.THE_MAIL, ending.reason());
    }

    /// The inboxes that the mail is for, with the first address of each.
    private Map<Domain, Address> targets(Envelope envelope) {
        Map<Domain, Address> targets = new LinkedHashMap<>();
        for (Address address : envelope.to()) {
            for (Domain inbox : config.domainsOf(address)) {
                targets.putIfAbsent(inbox, address);
            }
        }
        return targets;
    }

    /// Those of the [#targets] whose copies are not settled.
    private Map<Domain, Address> unsettled(Envelope envelope) throws IOException {
        Map<Domain, Address> targets = targets(envelope);
        if (targets.size() > 1) {
            targets.keySet().removeAll(notes.settled(envelope.id()).keySet());
        }
        return targets;
    }

    /// Ends the mail in `file` if it is expired or torn, and says whether it was.
    boolean endIfOver(Path file) throws IOException {
        return endIfOver(file, outbox.look(file));
    }

    private boolean endIfOver(Path file, Outbox.Sight sight) throws IOException {
        return switch (sight) {
            case Outbox.Sight.Mail(var envelope) -> {
                boolean isExpired = isExpired(envelope);
                if (isExpired) {
                    expire(file, envelope);
                }
                yield isExpired;
            }
            case Outbox.Sight.Torn(var reason) -> {
                boolean isQuiet = isQuiet(file);
                if (isQuiet) {
                    setAside(file, reason);
                }
                yield isQuiet;
            }
            case Outbox.Sight.Gone _ -> false;
        };
    }

    /// Whether nobody is writing `file` by hand.
    private boolean isQuiet(Path file) throws IOException {
        Instant since = clock.instant().minus(limits.quietMin());
        return files.stat(file).filter(stat -> !stat.changed().isAfter(since)).isPresent();
    }

    /// Moves a torn file to the archive, under no id: the mail of that id may still be sent. Its
    /// transport stands for the inbox, which a torn file may not tell. Only for who holds the lock.
    void setAside(Path file, String why) throws IOException {
        Optional<EnvelopeId> id = Outbox.idOf(file);
        if (id.isPresent()) {
            notes.forgetSending(id.get());
        }
        Instant now = clock.instant();
        Domain inbox = Domain.parse(transport);
        try (Disk.Operation _ = files.begin()) {
            Path stored = archive.store(inbox, State.DEAD, TORN, file, now);
            String name = String.valueOf(stored.getFileName());
            String record = name.substring(0, name.length() - HiveLayout.MAIL_SUFFIX.length());
            String reason = why + "; it was " + layout.nameOf(file);
            copies.history().endedOutside(inbox, record, State.DEAD, reason, transport, now);
            copies.journal().ended(inbox, record, null, State.DEAD, reason, now);
        }
    }

    private boolean isExpired(Envelope envelope) throws IOException {
        Instant now = clock.instant();
        return !now.isBefore(envelope.expiresAt()) && !copies.clockDoubt().isDoubted(now);
    }

    private void expire(Path file, Envelope envelope) throws IOException {
        Map<Domain, Ending> endings = endings(envelope);
        for (Domain inbox : unsettled(envelope).keySet()) {
            endings.put(inbox, new Ending(State.EXPIRED, EXPIRED, false));
        }
        leave(file, envelope, endings);
    }

    private Fate stays(Path file, IOException why) {
        copies.journal().trouble(layout.nameOf(file), why);
        return new Fate.Stays(why);
    }

    /// Sends what is not settled. One of several may have no inbox there: the others get theirs,
    /// which nobody is left to be told.
    ///
    /// @param targets the inboxes whose copies are not settled
    private Receipt send(Envelope envelope, Carrier to, Map<Domain, Address> targets)
            throws IOException {
        if (targets.equals(targets(envelope))) {
            try {
                return to.send(envelope);
            } catch (NoSuchInboxException e) {
                // Then each for itself.
            }
        }
        List<Receipt.Copy> copies = new ArrayList<>();
        for (Map.Entry<Domain, Address> target : targets.entrySet()) {
            Domain inbox = target.getKey();
            Address address = target.getValue();
            try {
                for (Receipt.Copy copy : to.send(envelope, inbox).copies()) {
                    copies.add(new Receipt.Copy(address, inbox, copy.result()));
                }
            } catch (NoSuchInboxException e) {
                copies.add(
                        new Receipt.Copy(
                                address,
                                inbox,
                                new SendResult.Rejected(
                                        SendResult.Ground.NO_SUCH_INBOX,
                                        transport + " has no inbox " + address)));
            }
        }
        return new Receipt(envelope.id(), envelope.hash(), copies);
    }

    /// Makes the inboxes that were to be made. Under a lock of the other side it is too early for
    /// that: there they would never be made, once the mail is kept. Only where mail is stored there
    /// are inboxes to make.
    private boolean areInboxesMade(Envelope envelope, Carrier to) throws IOException {
        if (!notes.isToCreate(envelope.id()) || !(to instanceof Transport there)) {
            return true;
        }
        for (Address address : envelope.to()) {
            try {
                if (MissingInbox.IS_MADE.makes(address)) {
                    there.createInbox(address.domain());
                }
            } catch (AwayException e) {
                throw e;
            } catch (WithheldException e) {
                return false;
            } catch (IOException e) {
                // Whether it is there all the same shows when the mail is sent.
                copies.journal().trouble(transport + ": inbox " + address, e);
            }
        }
        return true;
    }

    /// As long as one copy may still arrive, the mail stays.
    private Fate judge(Path file, Envelope envelope, Receipt receipt, Carrier to)
            throws IOException {
        Map<Domain, @Nullable Ending> settled = settled(receipt);
        @Nullable Fate stays = null;
        for (Receipt.Copy copy : receipt.copies()) {
            if (settled.containsKey(copy.inbox())) {
                continue;
            }
            switch (copy.result()) {
                case SendResult.Failed(var cause) -> {
                    if (cause instanceof AwayException || cause instanceof NotLetInException) {
                        throw cause;
                    }
                    stays = stays(file, cause);
                }
                case SendResult.Unanswered(var at, var reason) when at == SendResult.Place.HERE ->
                        stays = new Fate.Stays(new IOException(reason));
                // Sent again, the copy turns out to be there, or to be lost.
                default -> stays = stays == null ? STAYS : stays;
            }
        }
        journal.sent(envelope, receipt);
        if (stays != null) {
            note(envelope, receipt, to);
            return stays.equals(STAYS)
                    ? new Fate.Stays(silence(notes.atBroker(envelope.id())).orElse(null))
                    : stays;
        }
        Map<Domain, Ending> endings = endings(envelope);
        settled.forEach((inbox, ending) -> {
            if (ending != null) {
                endings.put(inbox, ending);
            }
        });
        return leave(file, envelope, endings);
    }

    /// The copies that need not be sent again, each with how it ended, or null if it arrived.
    private Map<Domain, @Nullable Ending> settled(Receipt receipt) {
        Map<Domain, @Nullable Ending> settled = new LinkedHashMap<>();
        for (Receipt.Copy copy : receipt.copies()) {
            if (Carrier.Fate.of(copy.result()) == Carrier.Fate.TAKEN) {
                settled.put(copy.inbox(), null);
            } else {
                ending(copy).ifPresent(ending -> settled.put(copy.inbox(), ending));
            }
        }
        return settled;
    }

    /// How a copy ended; empty if it arrived, or may when it is sent again.
    private Optional<Ending> ending(Receipt.Copy copy) {
        return switch (copy.result()) {
            case SendResult.Conflict(var _, var reason) ->
                    Optional.of(ending(State.CONFLICT, copy, reason));
            case SendResult.NotPublic(var _, var reason) ->
                    Optional.of(ending(State.DEAD, copy, reason));
            case SendResult.Rejected(var ground, var reason) ->
                    Optional.of(
                            ground == SendResult.Ground.NO_SUCH_INBOX
                                    ? new Ending(State.DEAD, reason, true)
                                    : ending(State.DEAD, copy, reason));
            case SendResult.BeyondConsent(var consent, var reach) ->
                    Optional.of(
                            ending(
                                    State.DEAD,
                                    copy,
                                    "consent is %s, and %s reaches %s"
                                            .formatted(consent, transport, reach)));
            case SendResult.Delivered _,
                    SendResult.Duplicate _,
                    SendResult.Parked _,
                    SendResult.Spooled _,
                    SendResult.Withheld _,
                    SendResult.Refused _,
                    SendResult.Unconfirmed _,
                    SendResult.Unanswered _,
                    SendResult.Failed _ ->
                    Optional.empty();
        };
    }

    private static Ending ending(State state, Receipt.Copy copy, String reason) {
        return new Ending(state, copy.address() + ": " + reason, false);
    }

    /// Notes of mail that stays what `receipt` says. A transport that stores mail knows what it
    /// has, and its inboxes may be others than this hive's: it gets the whole mail again.
    private void note(Envelope envelope, Receipt receipt, Carrier to) throws IOException {
        if (!(to instanceof Transport)) {
            for (Map.Entry<Domain, @Nullable Ending> one : settled(receipt).entrySet()) {
                notes.settle(envelope.id(), one.getKey(), one.getValue());
            }
        }
        notes.setAtBroker(envelope.id(), unanswered(receipt), unsent(receipt), clock.instant());
    }

    /// The inboxes whose copies did not get to a broker, or not as far as is known.
    private static List<Domain> unsent(Receipt receipt) {
        return receipt.copies().stream()
                .filter(copy ->
                        copy.result() instanceof SendResult.Failed
                                || (copy.result() instanceof SendResult.Unanswered(var at, var _)
                                        && at == SendResult.Place.HERE))
                .map(Receipt.Copy::inbox)
                .toList();
    }

    /// How copies ended before.
    private Map<Domain, Ending> endings(Envelope envelope) throws IOException {
        Map<Domain, Ending> endings = new LinkedHashMap<>();
        notes.settled(envelope.id())
                .forEach((inbox, ending) -> {
                    if (ending != null) {
                        endings.put(inbox, ending);
                    }
                });
        return endings;
    }

    /// Takes the mail out of here. Each copy that never arrives gets into the archive of its own
    /// inbox, the last one as the file itself.
    private Fate leave(Path file, Envelope envelope, Map<Domain, Ending> endings)
            throws IOException {
        if (endings.isEmpty()) {
            remove(file, envelope);
            return new Fate.Sent();
        }
        Instant now = clock.instant();
        String id = envelope.id().text();
        int left = endings.size();
        try (Disk.Operation _ = files.begin()) {
            for (Map.Entry<Domain, Ending> one : endings.entrySet()) {
                Domain inbox = one.getKey();
                State state = one.getValue().state();
                String reason = one.getValue().reason();
                Path copy = --left == 0 ? file : outbox.draft(envelope);
                copies.history().endedOutside(inbox, id, state, reason, transport, now);
                archive.store(inbox, state, id, copy, now);
                journal.ended(envelope, inbox, state, reason, now);
            }
        }
        notes.forget(envelope.id());
        return new Fate.Ended();
    }

    private void remove(Path file, Envelope envelope) throws IOException {
        try {
            files.remove(file);
        } catch (NoSuchFileException e) {
            // Another process sent it at the same time.
        }
        notes.forget(envelope.id());
    }
}
