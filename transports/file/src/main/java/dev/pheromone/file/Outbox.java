package dev.pheromone.file;

import dev.pheromone.Address;
import dev.pheromone.AwayException;
import dev.pheromone.Domain;
import dev.pheromone.Envelope;
import dev.pheromone.EnvelopeId;
import dev.pheromone.EnvelopeText;
import dev.pheromone.MalformedEnvelopeException;
import dev.pheromone.NoSuchInboxException;
import dev.pheromone.Receipt;
import dev.pheromone.SendResult;
import dev.pheromone.State;
import dev.pheromone.Transport;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.WithheldException;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Mail for another transport that could not go yet: `outbox/<transport>/<id>.md`. Whoever passes
/// by while the transport is there sends it on, each once.
public final class Outbox {

    private static final int TAG_LENGTH = 8;
    private static final String DRAFTS = ".tmp";

    /// Names of mail whose inboxes are to be made before it goes.
    private static final String CREATE = ".create";

    private final FileHive hive;
    private final Disk files;
    private final HiveLayout layout;
    private final String transport;
    private final Path folder;
    private final ViaJournal journal;

    Outbox(FileHive hive, String transport) {
        this.hive = hive;
        this.files = hive.files();
        this.layout = hive.layout();
        this.transport = transport;
        this.folder = layout.outbox(transport);
        this.journal = new ViaJournal(hive, transport);
    }

    /// One that waits.
    ///
    /// @param envelope null if somebody made something else of the file
    public record Item(String location, @Nullable EnvelopeId id, @Nullable Envelope envelope) {}

    /// What came of a round.
    ///
    /// @param sent how many have arrived
    /// @param ended how many never will, and are in the archive
    /// @param left how many still wait
    /// @param away why the others were not tried; null if all were
    public record Forwarded(int sent, int ended, int left, @Nullable AwayException away) {
        static final Forwarded NONE = new Forwarded(0, 0, 0, null);
    }

    /// Keeps `envelope` as [#keep], and that its inboxes are to be made there before it goes.
    public Receipt keepToCreate(Envelope envelope, String reason) throws IOException {
        try (Disk.Operation _ = files.begin()) {
            Path note = createNote(envelope.id());
            files.require(note, Access.WRITE);
            if (!files.exists(note)) {
                files.createFolder(folder.resolve(CREATE));
                files.create(note, new byte[0]);
                files.sync(folder.resolve(CREATE));
            }
        }
        return keep(envelope, reason);
    }

    private Path createNote(EnvelopeId id) {
        return folder.resolve(CREATE).resolve(id.text());
    }

    /// Keeps `envelope`; when this returns, it survives a power cut.
    ///
    /// @param reason why it does not go now
    public Receipt keep(Envelope envelope, String reason) throws IOException {
        SendResult result = put(envelope, reason);
        List<Receipt.Copy> copies = new ArrayList<>();
        for (Address address : envelope.to()) {
            copies.add(new Receipt.Copy(address, address.domain(), result));
        }
        return new Receipt(envelope.id(), envelope.hash(), copies);
    }

    private SendResult put(Envelope envelope, String reason) throws IOException {
        Path file = folder.resolve(envelope.id() + HiveLayout.MAIL_SUFFIX);
        try (Disk.Operation _ = files.begin()) {
            files.require(file, Access.WRITE);
            files.require(layout.log(), Access.WRITE);
            Path draft = draft(envelope);
            try {
                files.link(draft, file);
                files.sync(folder);
                journal.spooled(envelope, layout.nameOf(file), reason, hive.now());
            } catch (FileAlreadyExistsException e) {
                if (hive.inspector().compare(envelope, file) == Inspector.Likeness.OTHER) {
                    return new SendResult.Conflict(
                            layout.nameOf(file),
                            "something else with id " + envelope.id() + " is there");
                }
                // Who put it here first may not have come so far.
                files.sync(folder);
            } finally {
                removeDraft(draft);
            }
        }
        return new SendResult.Spooled(layout.nameOf(file), reason);
    }

    private void removeDraft(Path draft) {
        try {
            files.remove(draft);
        } catch (IOException e) {
            // It harms nobody; `doctor` shows what is old.
        }
    }

    /// Whether anything waits here.
    public boolean hasMail() throws IOException {
        for (Path file : files.list(folder)) {
            if (InboxIndex.isMailName(file)) {
                return true;
            }
        }
        return false;
    }

    /// What waits, oldest first.
    public List<Item> waiting() throws IOException {
        List<Item> items = new ArrayList<>();
        for (Path file : mail()) {
            @Nullable Envelope envelope = null;
            try {
                envelope = read(file).orElse(null);
            } catch (MalformedEnvelopeException e) {
                // Shown without what it says.
            }
            String name = String.valueOf(file.getFileName());
            String id = name.substring(0, name.length() - HiveLayout.MAIL_SUFFIX.length());
            items.add(
                    new Item(
                            layout.nameOf(file),
                            EnvelopeId.isId(id) ? EnvelopeId.parse(id) : null,
                            envelope));
        }
        return items;
    }

    private List<Path> mail() throws IOException {
        List<Path> mail = new ArrayList<>();
        for (Path file : files.list(folder)) {
            if (InboxIndex.isMailName(file)) {
                mail.add(file);
            }
        }
        mail.sort(null);
        return mail;
    }

    private Optional<Envelope> read(Path file) throws IOException, MalformedEnvelopeException {
        Optional<byte[]> bytes = RegularFile.read(files, file, EnvelopeText.ENVELOPE_BYTES_MAX);
        return bytes.isEmpty() ? Optional.empty() : Optional.of(Envelope.parse(bytes.get()));
    }

    /// Sends on what waits, at most `countMax` of it: each is removed when the other side has
    /// confirmed it, so that a process that dies in between leaves what is sent again, and known
    /// there. One process at a time does this; for the others there is nothing to do.
    public Forwarded forward(Transport to, int countMax) throws IOException {
        files.require(folder, Access.WRITE);
        if (!files.exists(folder)) {
            return Forwarded.NONE;
        }
        Optional<Closeable> lock = files.tryLock(folder.resolve(".lock"));
        if (lock.isEmpty()) {
            return Forwarded.NONE;
        }
        int sent = 0;
        int ended = 0;
        @Nullable AwayException away = null;
        try (Closeable _ = lock.get()) {
            int tried = 0;
            for (Path file : mail()) {
                if (tried++ == countMax) {
                    break;
                }
                try {
                    switch (forward(file, to)) {
                        case SENT -> sent++;
                        case ENDED -> ended++;
                        case STAYS -> {}
                    }
                } catch (AwayException e) {
                    away = e;
                    break;
                }
            }
            return new Forwarded(sent, ended, mail().size(), away);
        }
    }

    private enum Fate {
        SENT,
        ENDED,
        STAYS
    }

    /// Nothing of the hive is held while the other side is asked: who sets a lock waits for no
    /// network.
    private Fate forward(Path file, Transport to) throws IOException {
        Envelope envelope;
        try {
            Optional<Envelope> found = read(file);
            if (found.isEmpty()) {
                return Fate.STAYS;
            }
            envelope = found.get();
        } catch (MalformedEnvelopeException e) {
            hive.journal().trouble(layout.nameOf(file), new IOException(e.getMessage(), e));
            return Fate.STAYS;
        }
        if (!hive.now().isBefore(envelope.expiresAt())) {
            Domain inbox = envelope.to().getFirst().domain();
            end(
                    file,
                    envelope,
                    Map.of(inbox, new Ending(State.EXPIRED, "ttl " + envelope.ttl() + " is over")));
            return Fate.ENDED;
        }
        files.require(file, Access.ERASE);
        files.require(layout.log(), Access.WRITE);
        if (!areInboxesMade(envelope, to)) {
            return Fate.STAYS;
        }
        Map<Domain, Ending> endings = new LinkedHashMap<>();
        Receipt receipt;
        try {
            receipt = to.send(envelope);
        } catch (NoSuchInboxException e) {
            receipt = sendToEach(envelope, to, endings);
        }
        return judge(file, envelope, receipt, endings);
    }

    /// How a copy ended that never arrives.
    private record Ending(State state, String reason) {}

    /// Makes the inboxes that were to be made. Under a lock of the other side it is too early for
    /// that: there they would never be made, once the mail is kept.
    private boolean areInboxesMade(Envelope envelope, Transport to) throws IOException {
        if (!files.exists(createNote(envelope.id()))) {
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
        boolean stays = false;
        boolean isUnsure = false;
        for (Receipt.Copy copy : receipt.copies()) {
            switch (copy.result()) {
                case SendResult.Delivered _,
                        SendResult.Duplicate _,
                        SendResult.Parked _,
                        SendResult.Spooled _ -> {}
                case SendResult.Unconfirmed _ -> isUnsure = true;
                case SendResult.Withheld(var _, var _, var mirror) -> stays |= mirror.isEmpty();
                case SendResult.Refused _ -> stays = true;
                case SendResult.Failed(var cause) -> {
                    if (cause instanceof AwayException away) {
                        throw away;
                    }
                    hive.journal().trouble(layout.nameOf(file), cause);
                    stays = true;
                }
                case SendResult.Conflict(var _, var reason) ->
                        endings.put(
                                copy.inbox(),
                                new Ending(State.CONFLICT, copy.address() + ": " + reason));
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
        if (stays) {
            return Fate.STAYS;
        }
        journal.sent(envelope, receipt);
        if (isUnsure) {
            // Sent again, it turns out to be there, or to be lost.
            return Fate.STAYS;
        }
        if (!endings.isEmpty()) {
            end(file, envelope, endings);
            return Fate.ENDED;
        }
        files.remove(file);
        forgetCreate(envelope.id());
        return Fate.SENT;
    }

    private void forgetCreate(EnvelopeId id) throws IOException {
        if (files.exists(createNote(id))) {
            files.remove(createNote(id));
        }
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
                Path copy = --left == 0 ? file : draft(envelope);
                hive.history().endedOutside(inbox, id, state, reason, transport, now);
                new Archive(files, layout).store(inbox, state, id, copy, now);
                journal.ended(envelope, inbox, state, reason, now);
            }
        }
        forgetCreate(envelope.id());
    }

    private Path draft(Envelope envelope) throws IOException {
        files.createFolder(folder.resolve(DRAFTS));
        Path draft = folder.resolve(DRAFTS).resolve(envelope.id() + "." + Tags.random(TAG_LENGTH));
        files.create(draft, envelope.bytes());
        return draft;
    }
}
