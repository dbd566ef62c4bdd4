package dev.pheromone.file;

import dev.pheromone.Address;
import dev.pheromone.AwayException;
import dev.pheromone.Domain;
import dev.pheromone.Envelope;
import dev.pheromone.MalformedEnvelopeException;
import dev.pheromone.NoSuchInboxException;
import dev.pheromone.NotLetInException;
import dev.pheromone.Receipt;
import dev.pheromone.SendResult;
import dev.pheromone.State;
import dev.pheromone.Transport;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.life.Why;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// How one mail of an [Outbox] leaves it: sent on, or ended in the archive.
final class OutboxExit {

    private static final Fate STAYS = new Fate.Stays(null);

    private final FileHive hive;
    private final Disk files;
    private final HiveLayout layout;
    private final Outbox outbox;
    private final String transport;
    private final ViaJournal journal;

    OutboxExit(FileHive hive, Outbox outbox, String transport) {
        this.hive = hive;
        this.files = hive.files();
        this.layout = hive.layout();
        this.outbox = outbox;
        this.transport = transport;
        this.journal = new ViaJournal(hive, transport);
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
    Fate forward(Path file, Transport to) throws IOException {
        Envelope envelope;
        try {
            Optional<Envelope> found = outbox.read(file);
            if (found.isEmpty()) {
                return STAYS;
            }
            envelope = found.get();
        } catch (MalformedEnvelopeException e) {
            hive.journal().trouble(layout.nameOf(file), new IOException(e.getMessage(), e));
            return STAYS;
        }
        if (isExpired(envelope)) {
            expire(file, envelope);
            return new Fate.Ended();
        }
        files.require(file, Access.ERASE);
        files.require(layout.log(), Access.WRITE);
        Map<Domain, Ending> endings = new LinkedHashMap<>();
        Receipt receipt;
        try {
            if (!areInboxesMade(envelope, to)) {
                return STAYS;
            }
            receipt = send(envelope, to, endings);
        } catch (AwayException | NotLetInException | WithheldException | InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            // Somebody is there and does not take this one; others may pass.
            return stays(file, e);
        }
        return judge(file, envelope, receipt, endings);
    }

    /// Ends the mail in `file` if it is expired, and says whether it was.
    boolean endIfExpired(Path file) throws IOException {
        Optional<Envelope> found;
        try {
            found = outbox.read(file);
        } catch (MalformedEnvelopeException e) {
            return false;
        }
        boolean isOver = found.isPresent() && isExpired(found.get());
        if (isOver) {
            expire(file, found.get());
        }
        return isOver;
    }

    private boolean isExpired(Envelope envelope) throws IOException {
        Instant now = hive.now();
        return !now.isBefore(envelope.expiresAt()) && !hive.doubtsClock(now);
    }

    private void expire(Path file, Envelope envelope) throws IOException {
        Domain inbox = envelope.to().getFirst().domain();
        String reason = Why.EXPIRED.text(envelope.ttl());
        end(file, envelope, Map.of(inbox, new Ending(State.EXPIRED, reason)));
    }

    private Fate stays(Path file, IOException why) {
        hive.journal().trouble(layout.nameOf(file), why);
        return new Fate.Stays(why);
    }

    private Receipt send(Envelope envelope, Transport to, Map<Domain, Ending> endings)
            throws IOException {
        try {
            return to.send(envelope);
        } catch (NoSuchInboxException e) {
            return sendToEach(envelope, to, endings);
        }
    }

    /// How a copy ended that never arrives.
    private record Ending(State state, String reason) {}

    /// Makes the inboxes that were to be made. Under a lock of the other side it is too early for
    /// that: there they would never be made, once the mail is kept.
    private boolean areInboxesMade(Envelope envelope, Transport to) throws IOException {
        if (!files.exists(outbox.createNote(envelope.id()))) {
            return true;
        }
        for (Address address : envelope.to()) {
            try {
                if (!(address instanceof Address.OfLane)) {
                    to.createInbox(address.domain());
                }
            } catch (AwayException e) {
                throw e;
            } catch (WithheldException e) {
                return false;
            } catch (IOException e) {
                // Whether it is there all the same shows when the mail is sent.
                hive.journal().trouble(transport + ": inbox " + address, e);
            }
        }
        return true;
    }

    /// One of several has no inbox there: the others get theirs, which nobody is left to be told.
    private Receipt sendToEach(Envelope envelope, Transport to, Map<Domain, Ending> endings)
            throws IOException {
        List<Receipt.Copy> copies = new ArrayList<>();
        for (Address address : envelope.to()) {
            for (Domain inbox : hive.config().domainsOf(address)) {
                try {
                    copies.addAll(to.send(envelope, inbox).copies());
                } catch (NoSuchInboxException e) {
                    String reason = transport + " has no inbox " + address;
                    endings.put(inbox, new Ending(State.DEAD, reason));
                }
            }
        }
        return new Receipt(envelope.id(), envelope.hash(), copies);
    }

    /// As long as one copy may still arrive, the mail stays: those that have, know it again.
    private Fate judge(Path file, Envelope envelope, Receipt receipt, Map<Domain, Ending> endings)
            throws IOException {
        @Nullable Fate stays = null;
        boolean isUnsure = false;
        for (Receipt.Copy copy : receipt.copies()) {
            switch (copy.result()) {
                case SendResult.Delivered _,
                        SendResult.Duplicate _,
                        SendResult.Parked _,
                        SendResult.Spooled _ -> {}
                case SendResult.Unconfirmed _ -> isUnsure = true;
                case SendResult.Withheld(var _, var _, var mirror) ->
                        stays = mirror.isEmpty() && stays == null ? STAYS : stays;
                case SendResult.Refused _, SendResult.Unanswered _ ->
                        stays = stays == null ? STAYS : stays;
                case SendResult.Failed(var cause) -> {
                    if (cause instanceof AwayException || cause instanceof NotLetInException) {
                        throw cause;
                    }
                    stays = stays(file, cause);
                }
                case SendResult.Conflict(var _, var reason) ->
                        endings.put(
                                copy.inbox(),
                                new Ending(State.CONFLICT, copy.address() + ": " + reason));
                case SendResult.NotPublic(var _, var reason) ->
                        endings.put(
                                copy.inbox(),
                                new Ending(State.DEAD, copy.address() + ": " + reason));
                case SendResult.BeyondConsent(var consent, var reach) ->
                        endings.put(
                                copy.inbox(),
                                new Ending(
                                        State.DEAD,
                                        "%s: consent is %s, and %s reaches %s"
                                                .formatted(
                                                        copy.address(),
                                                        consent,
                                                        transport,
                                                        reach)));
            }
        }
        if (stays != null) {
            return stays;
        }
        journal.sent(envelope, receipt);
        if (isUnsure) {
            // Sent again, it turns out to be there, or to be lost.
            return STAYS;
        }
        if (!endings.isEmpty()) {
            end(file, envelope, endings);
            return new Fate.Ended();
        }
        files.remove(file);
        outbox.forgetCreate(envelope.id());
        return new Fate.Sent();
    }

    /// Each copy that never arrives gets into the archive of its own inbox, the last one as the
    /// file itself.
    private void end(Path file, Envelope envelope, Map<Domain, Ending> endings) throws IOException {
        Instant now = hive.now();
        String id = envelope.id().text();
        int left = endings.size();
        try (Disk.Operation _ = files.begin()) {
            for (Map.Entry<Domain, Ending> one : endings.entrySet()) {
                Domain inbox = one.getKey();
                State state = one.getValue().state();
                String reason = one.getValue().reason();
                Path copy = --left == 0 ? file : outbox.draft(envelope);
                hive.history().endedOutside(inbox, id, state, reason, transport, now);
                new Archive(files, layout).store(inbox, state, id, copy, now);
                journal.ended(envelope, inbox, state, reason, now);
            }
        }
        outbox.forgetCreate(envelope.id());
    }
}
