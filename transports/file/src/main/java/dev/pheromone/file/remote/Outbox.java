package dev.pheromone.file.remote;

import dev.pheromone.AwayException;
import dev.pheromone.Carrier;
import dev.pheromone.HiveConfig;
import dev.pheromone.NotLetInException;
import dev.pheromone.Receipt;
import dev.pheromone.SendResult;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.Publication;
import dev.pheromone.disk.RegularFile;
import dev.pheromone.disk.Tags;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.EnvelopeText;
import dev.pheromone.envelope.MalformedEnvelopeException;
import dev.pheromone.file.copy.Copies;
import dev.pheromone.file.copy.FileLimits;
import dev.pheromone.file.copy.InboxIndex;
import dev.pheromone.file.copy.Journal;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.life.Acceptance;
import dev.pheromone.life.Why;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Mail for another transport that nobody there has confirmed yet: `outbox/<transport>/<id>.md`.
/// Whoever passes by while the transport is there sends it on, until somebody has.
public final class Outbox {

    /// After so long without a receipt nobody receives: a receiver that is there answers at once.
    public static final Duration SILENCE_MAX = Duration.ofSeconds(30);

    static final String DRAFTS = ".tmp";

    private static final int TAG_LENGTH = 8;

    private final Disk files;
    private final HiveLayout layout;
    private final InstantSource clock;
    private final Journal hiveJournal;
    private final Path folder;
    private final RemoteJournal journal;
    private final OutboxNotes notes;
    private final OutboxExit exit;

    Outbox(
            Disk files,
            HiveLayout layout,
            HiveConfig config,
            FileLimits limits,
            Copies copies,
            InstantSource clock,
            String transport) {
        this.files = files;
        this.layout = layout;
        this.clock = clock;
        this.hiveJournal = copies.journal();
        this.folder = layout.outbox(transport);
        this.journal = new RemoteJournal(copies, clock, transport);
        this.notes = new OutboxNotes(files, folder);
        this.exit =
                new OutboxExit(
                        files, layout, config, limits, copies, clock, this, notes, transport);
    }

    /// One that waits.
    ///
    /// @param envelope null if the file is torn, or somebody made something else of it
    /// @param atBrokerSince since when a broker has had it; null if it was never there
    public record Item(
            String location,
            @Nullable EnvelopeId id,
            @Nullable Envelope envelope,
            @Nullable Instant atBrokerSince) {}

    /// What came of a round.
    ///
    /// @param sent how many have arrived
    /// @param ended how many never will, and are in the archive
    /// @param left how many still wait
    /// @param trouble what keeps them, or one of them; null if nothing that failed does
    public record Forwarded(int sent, int ended, int left, @Nullable IOException trouble) {
        static final Forwarded NONE = new Forwarded(0, 0, 0, null);
    }

    /// Which mail a round sends.
    public enum Pace {
        /// All of it.
        AT_ONCE,
        /// What a broker has already only after a while, longer after each try: each is one more
        /// message in the broker's queue.
        WHEN_DUE
    }

    /// Keeps `envelope` as [#keep], and that its inboxes are to be made there before it goes.
    public Receipt keepToCreate(Envelope envelope, String reason) throws IOException {
        try (Disk.Operation _ = files.begin()) {
            notes.setToCreate(envelope.id());
        }
        return keep(envelope, reason);
    }

    /// Keeps `envelope`; when this returns, it survives a power cut.
    ///
    /// @param reason why it does not go now
    public Receipt keep(Envelope envelope, String reason) throws IOException {
        Path file = file(envelope.id());
        Publication.Result result = put(envelope, file);
        if (result == Publication.Result.OTHER) {
            return conflict(envelope, file);
        }
        if (result == Publication.Result.NEW) {
            journal.spooled(envelope, layout.nameOf(file), reason, clock.instant());
        }
        return Receipt.forAll(
                envelope,
                envelope.to(),
                new SendResult.Spooled(layout.nameOf(file), SendResult.Place.HERE, reason));
    }

    /// Sends `envelope`, which is kept here first and until each of its copies is answered: so a
    /// process that dies at any step loses nothing. What is not answered in time is `Spooled`, and
    /// goes on with the next round.
    ///
    /// @throws NotLetInException if the other side does not let us send; then nothing is kept that
    ///   was not here before
    public Receipt send(Envelope envelope, Carrier to) throws IOException {
        Path file = file(envelope.id());
        return switch (put(envelope, file)) {
            case OTHER -> conflict(envelope, file);
            case NEW -> exit.sendFresh(file, envelope, to);
            case SAME -> exit.sendAgain(file, envelope, to);
        };
    }

    private Path file(EnvelopeId id) {
        return folder.resolve(id + HiveLayout.MAIL_SUFFIX);
    }

    private Receipt conflict(Envelope envelope, Path file) {
        return Receipt.forAll(
                envelope,
                envelope.to(),
                new SendResult.Conflict(layout.nameOf(file), Why.ID_TAKEN.text(envelope.id())));
    }

    private Publication.Result put(Envelope envelope, Path file) throws IOException {
        try (Disk.Operation _ = files.begin()) {
            files.require(file, Access.WRITE);
            files.require(layout.log(), Access.WRITE);
            if (!files.exists(file)) {
                // Left behind by a process that died after the mail was gone.
                notes.forgetSending(envelope.id());
            }
            files.createFolder(folder);
            return new Publication(files)
                    .publishAtOnce(
                            envelope.bytes(),
                            Publication.draft(folder.resolve(DRAFTS), envelope.id() + "."),
                            file,
                            taken -> compare(envelope, taken));
        }
    }

    private Publication.Likeness compare(Envelope envelope, Path file) throws IOException {
        Sight sight = look(file);
        if (sight instanceof Sight.Torn) {
            // A torn file is set aside by whoever may empty this outbox: of two senders that did
            // so without the lock, the second would take away the mail of the first.
            Optional<Closeable> lock = lock();
            if (lock.isEmpty()) {
                throw new FileSystemException(
                        file.toString(), null, "found a torn file while the outbox is sent");
            }
            try (Closeable _ = lock.get()) {
                sight = look(file);
                if (sight instanceof Sight.Torn(var reason)) {
                    exit.setAside(file, reason);
                }
            }
        }
        return switch (sight) {
            case Sight.Mail(var found) ->
                    found.isSameMailAs(envelope)
                            ? Publication.Likeness.SAME
                            : Publication.Likeness.OTHER;
            case Sight.Torn _, Sight.Gone _ -> Publication.Likeness.GONE;
        };
    }

    /// What a file of the outbox turned out to be.
    sealed interface Sight {

        /// An envelope with the right hash.
        record Mail(Envelope envelope) implements Sight {}

        /// Anything else, as a power cut leaves it: mail is forced to the disk together with its
        /// name. Nobody was told that such mail is kept.
        record Torn(String reason) implements Sight {}

        /// The name is free.
        record Gone() implements Sight {}
    }

    Sight look(Path file) throws IOException {
        Optional<byte[]> bytes = RegularFile.read(files, file, EnvelopeText.ENVELOPE_BYTES_MAX);
        if (bytes.isEmpty()) {
            return new Sight.Gone();
        }
        try {
            Envelope envelope = Envelope.parse(bytes.get());
            return envelope.hashMatches()
                    ? new Sight.Mail(envelope)
                    : new Sight.Torn(Acceptance.WRONG_HASH.text());
        } catch (MalformedEnvelopeException e) {
            return new Sight.Torn(e.getMessage());
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

    /// How many wait here.
    public int count() throws IOException {
        return mail().size();
    }

    /// What waits, oldest first.
    public List<Item> waiting() throws IOException {
        List<Item> items = new ArrayList<>();
        for (Path file : mail()) {
            // A torn file is shown without what it says.
            @Nullable Envelope envelope =
                    look(file) instanceof Sight.Mail(var found) ? found : null;
            @Nullable EnvelopeId id = idOf(file).orElse(null);
            items.add(
                    new Item(
                            layout.nameOf(file),
                            id,
                            envelope,
                            id == null
                                    ? null
                                    : notes.atBroker(id)
                                            .map(OutboxNotes.AtBroker::since)
                                            .orElse(null)));
        }
        return items;
    }

    /// The id that the name of a file tells; empty if it tells none.
    static Optional<EnvelopeId> idOf(Path file) {
        String name = String.valueOf(file.getFileName());
        return HiveLayout.hasIdAsName(file)
                ? Optional.of(
                        EnvelopeId.parse(
                                name.substring(0, name.length() - HiveLayout.MAIL_SUFFIX.length())))
                : Optional.empty();
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

    /// Sends on all that waits, at most `countMax` of it.
    public Forwarded forward(Carrier to, int countMax) throws IOException {
        return forward(to, countMax, Pace.AT_ONCE);
    }

    /// Sends on what waits, at most `countMax` of it: each is removed when the other side has
    /// confirmed it, so that a process that dies in between leaves what is sent again, and known
    /// there. What the other side does not take keeps no other. One process at a time does this;
    /// for the others there is nothing to do.
    public Forwarded forward(Carrier to, int countMax, Pace pace) throws IOException {
        Optional<Closeable> lock = lock();
        if (lock.isEmpty()) {
            return Forwarded.NONE;
        }
        int sent = 0;
        int ended = 0;
        @Nullable IOException trouble = null;
        Set<Domain> silent = new HashSet<>();
        try (Closeable _ = lock.get()) {
            int tried = 0;
            for (Path file : mail()) {
                if (tried++ == countMax) {
                    break;
                }
                try {
                    switch (exit.forward(file, to, pace, silent)) {
                        case OutboxExit.Fate.Sent _ -> sent++;
                        case OutboxExit.Fate.Ended _ -> ended++;
                        case OutboxExit.Fate.Stays(var why) ->
                                trouble = why == null ? trouble : why;
                    }
                } catch (AwayException | NotLetInException e) {
                    // None of the others would pass either.
                    trouble = e;
                    break;
                } catch (WithheldException | InterruptedIOException e) {
                    throw e;
                } catch (IOException e) {
                    // Of this mail alone: a note that says something else, say.
                    hiveJournal.trouble(layout.nameOf(file), e);
                    trouble = e;
                }
            }
            return new Forwarded(sent, ended, count(), trouble);
        }
    }

    /// Ends what is expired or torn, for which nobody has to be there. Returns how many.
    public int endExpired() throws IOException {
        Optional<Closeable> lock = lock();
        if (lock.isEmpty()) {
            return 0;
        }
        int ended = 0;
        try (Closeable _ = lock.get()) {
            for (Path file : mail()) {
                try {
                    ended += exit.endIfOver(file) ? 1 : 0;
                } catch (WithheldException | InterruptedIOException e) {
                    throw e;
                } catch (IOException e) {
                    hiveJournal.trouble(layout.nameOf(file), e);
                }
            }
        }
        return ended;
    }

    /// The right to empty this outbox; empty if somebody else does so, or if it never had mail.
    private Optional<Closeable> lock() throws IOException {
        files.require(folder, Access.WRITE);
        return files.exists(folder) ? files.tryLock(folder.resolve(".lock")) : Optional.empty();
    }

    Path draft(Envelope envelope) throws IOException {
        files.createFolder(folder.resolve(DRAFTS));
        Path draft = folder.resolve(DRAFTS).resolve(envelope.id() + "." + Tags.random(TAG_LENGTH));
        files.create(draft, envelope.bytes());
        return draft;
    }
}
