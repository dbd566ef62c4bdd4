package dev.pheromone.file;

import dev.pheromone.Address;
import dev.pheromone.AwayException;
import dev.pheromone.Envelope;
import dev.pheromone.EnvelopeId;
import dev.pheromone.EnvelopeText;
import dev.pheromone.MalformedEnvelopeException;
import dev.pheromone.NotLetInException;
import dev.pheromone.Receipt;
import dev.pheromone.SendResult;
import dev.pheromone.Transport;
import dev.pheromone.guard.Access;
import dev.pheromone.life.Why;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
    private final Path folder;
    private final ViaJournal journal;
    private final OutboxExit exit;

    Outbox(FileHive hive, String transport) {
        this.hive = hive;
        this.files = hive.files();
        this.layout = hive.layout();
        this.folder = layout.outbox(transport);
        this.journal = new ViaJournal(hive, transport);
        this.exit = new OutboxExit(hive, this, transport);
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
    /// @param trouble what keeps them, or one of them; null if nothing that failed does
    public record Forwarded(int sent, int ended, int left, @Nullable IOException trouble) {
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

    Path createNote(EnvelopeId id) {
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
            Publication.Result result =
                    hive.publication().publish(envelope, folder.resolve(DRAFTS), file);
            if (result == Publication.Result.OTHER) {
                return new SendResult.Conflict(
                        layout.nameOf(file), Why.ID_TAKEN.text(envelope.id()));
            }
            if (result == Publication.Result.NEW) {
                journal.spooled(envelope, layout.nameOf(file), reason, hive.now());
            }
        }
        return new SendResult.Spooled(layout.nameOf(file), reason);
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

    /// How many wait here.
    public int count() throws IOException {
        return mail().size();
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

    Optional<Envelope> read(Path file) throws IOException, MalformedEnvelopeException {
        Optional<byte[]> bytes = RegularFile.read(files, file, EnvelopeText.ENVELOPE_BYTES_MAX);
        return bytes.isEmpty() ? Optional.empty() : Optional.of(Envelope.parse(bytes.get()));
    }

    /// Sends on what waits, at most `countMax` of it: each is removed when the other side has
    /// confirmed it, so that a process that dies in between leaves what is sent again, and known
    /// there. What the other side does not take keeps no other. One process at a time does this;
    /// for the others there is nothing to do.
    public Forwarded forward(Transport to, int countMax) throws IOException {
        Optional<Closeable> lock = lock();
        if (lock.isEmpty()) {
            return Forwarded.NONE;
        }
        int sent = 0;
        int ended = 0;
        @Nullable IOException trouble = null;
        try (Closeable _ = lock.get()) {
            int tried = 0;
            for (Path file : mail()) {
                if (tried++ == countMax) {
                    break;
                }
                try {
                    switch (exit.forward(file, to)) {
                        case OutboxExit.Fate.Sent _ -> sent++;
                        case OutboxExit.Fate.Ended _ -> ended++;
                        case OutboxExit.Fate.Stays(var why) ->
                                trouble = why == null ? trouble : why;
                    }
                } catch (AwayException | NotLetInException e) {
                    // None of the others would pass either.
                    trouble = e;
                    break;
                }
            }
            return new Forwarded(sent, ended, count(), trouble);
        }
    }

    /// Ends what is expired, for which nobody has to be there. Returns how many.
    public int endExpired() throws IOException {
        Optional<Closeable> lock = lock();
        if (lock.isEmpty()) {
            return 0;
        }
        int ended = 0;
        try (Closeable _ = lock.get()) {
            for (Path file : mail()) {
                ended += exit.endIfExpired(file) ? 1 : 0;
            }
        }
        return ended;
    }

    /// The right to empty this outbox; empty if somebody else does so, or if it never had mail.
    private Optional<Closeable> lock() throws IOException {
        files.require(folder, Access.WRITE);
        return files.exists(folder) ? files.tryLock(folder.resolve(".lock")) : Optional.empty();
    }

    void forgetCreate(EnvelopeId id) throws IOException {
        if (files.exists(createNote(id))) {
            files.remove(createNote(id));
        }
    }

    Path draft(Envelope envelope) throws IOException {
        files.createFolder(folder.resolve(DRAFTS));
        Path draft = folder.resolve(DRAFTS).resolve(envelope.id() + "." + Tags.random(TAG_LENGTH));
        files.create(draft, envelope.bytes());
        return draft;
    }
}
