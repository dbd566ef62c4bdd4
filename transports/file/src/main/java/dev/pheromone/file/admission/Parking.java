package dev.pheromone.file.admission;

import dev.pheromone.Backpressure.Admission.Refused;
import dev.pheromone.SendResult;
import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.Publication;
import dev.pheromone.disk.RegularFile;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeText;
import dev.pheromone.envelope.Header;
import dev.pheromone.envelope.MalformedEnvelopeException;
import dev.pheromone.file.copy.Copies;
import dev.pheromone.file.copy.Drop;
import dev.pheromone.file.copy.InboxIndex;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.life.Why;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Where the mail of muted senders is kept: `outbox/muted/<sender>/<domain>/<id>.md`. When the mute
/// is over, whoever passes by brings it to its inbox, each once.
public final class Parking {

    /// How many one send or selection brings home, so that it is not held up.
    private static final int SOME = 32;

    private final Disk files;
    private final HiveLayout layout;
    private final Copies copies;
    private final Drop drop;
    private final Mutes mutes;
    private final Admission admission;
    private final AdmissionEvents events;
    private final Publication publication;

    public Parking(
            Disk files,
            HiveLayout layout,
            Copies copies,
            Drop drop,
            Mutes mutes,
            Admission admission,
            AdmissionEvents events) {
        this.files = files;
        this.layout = layout;
        this.copies = copies;
        this.drop = drop;
        this.mutes = mutes;
        this.admission = admission;
        this.events = events;
        this.publication = new Publication(files);
    }

    /// Keeps `envelope`, which was just sent; it survives a power cut.
    public SendResult park(Domain domain, Envelope envelope, Mute mute, Instant now)
            throws IOException {
        Path folder = layout.parked(envelope.from(), domain);
        Path file = folder.resolve(envelope.id() + HiveLayout.MAIL_SUFFIX);
        files.createFolder(folder);
        Publication.Result result =
                publication.publish(
                        envelope.bytes(),
                        Publication.draft(layout.drafts(domain), envelope.id() + "."),
                        file,
                        copies.inspector().comparison(envelope));
        if (result == Publication.Result.OTHER) {
            return new SendResult.Conflict(layout.nameOf(file), Why.ID_TAKEN.text(envelope.id()));
        }
        if (result == Publication.Result.NEW) {
            admission.counted(domain, envelope, now);
            events.parked(Header.of(envelope), domain, layout.nameOf(file), mute, now);
        }
        return new SendResult.Parked(
                layout.nameOf(file), mute.until(), envelope.from() + " is muted");
    }

    /// What became of a waiting copy of a muted sender.
    public enum Parked {
        KEPT,
        /// A worker has it, or another of its id is kept already.
        STAYS,
        /// Another process puts mail aside or brings mail home: the copy was not touched.
        BUSY
    }

    /// Puts aside a copy that waits in the inbox already, sent before the mute or by a program that
    /// knows no mutes. A copy that can't be put aside is a trouble, and stays.
    public Parked parkWaiting(Domain domain, InboxIndex.Entry entry, Mute mute, Instant now)
            throws IOException {
        try {
            return parkWaiting(domain, entry.file(), entry.header(), mute, now);
        } catch (NoSuchFileException e) {
            // Somebody took it just now.
        } catch (WithheldException e) {
            throw e;
        } catch (IOException e) {
            copies.journal().trouble(layout.nameOf(entry.file()), e);
        }
        return Parked.STAYS;
    }

    private Parked parkWaiting(Domain domain, Path file, Header header, Mute mute, Instant now)
            throws IOException {
        Path folder = layout.parked(header.from(), domain);
        Path target = folder.resolve(header.id() + HiveLayout.MAIL_SUFFIX);
        files.createFolder(folder);
        Optional<Closeable> lock = tryLock();
        if (lock.isEmpty()) {
            return Parked.BUSY;
        }
        try (Closeable _ = lock.get()) {
            // The mute may have been lifted since the caller looked.
            if (mutes.find(header.from(), now).isEmpty() || !isMoved(file, target)) {
                return Parked.STAYS;
            }
        }
        events.parked(header, domain, layout.nameOf(target), mute, now);
        return Parked.KEPT;
    }

    /// Only one process at a time gives mail its place here or takes it away. Of two, one might
    /// bring again what a reader has taken, or each remove the name that the other relies on.
    private Optional<Closeable> tryLock() throws IOException {
        return files.tryLock(layout.parked().resolve(".lock"));
    }

    private boolean isMoved(Path file, Path target) throws IOException {
        try (Disk.Operation _ = files.begin()) {
            files.require(file, Access.ERASE);
            if (publication.link(file, target) == Publication.Result.OTHER) {
                // Another of this id is there: this one stays where it is.
                return false;
            }
            try {
                files.remove(file);
            } catch (NoSuchFileException e) {
                if (files.stat(target).filter(stat -> stat.links() > 1).isPresent()) {
                    // A worker took it in between, and has it.
                    files.remove(target);
                    return false;
                }
            }
            return true;
        }
    }

    /// Brings home a few of those whose sender is not muted any more; quick if nothing is parked.
    public void deliverSome(Instant now) throws IOException {
        deliver(SOME, now);
    }

    /// The same, for who only wants to look: under a lock, everything stays where it is.
    public void deliverInPassing(Instant now) throws IOException {
        try {
            deliverSome(now);
        } catch (WithheldException e) {
            // Whoever sends or selects is told.
        }
    }

    public void deliverAll(Instant now) throws IOException {
        deliver(Integer.MAX_VALUE, now);
    }

    /// Whether mail may be kept here.
    public boolean isNeeded() {
        return files.exists(layout.parked());
    }

    private void deliver(int countMax, Instant now) throws IOException {
        if (!isNeeded()) {
            return;
        }
        try {
            deliverFree(countMax, now);
        } catch (WithheldException e) {
            throw e;
        } catch (IOException e) {
            // What can't be brought now must not keep other mail.
            copies.journal().trouble(layout.nameOf(layout.parked()), e);
        }
    }

    private void deliverFree(int countMax, Instant now) throws IOException {
        List<Path> free = new ArrayList<>();
        for (Path sender : senders()) {
            Actor actor = Actor.parse(String.valueOf(sender.getFileName()));
            if (hasMail(sender) && mutes.find(actor, now).isEmpty()) {
                free.add(sender);
            }
        }
        Optional<Closeable> lock = free.isEmpty() ? Optional.empty() : tryLock();
        if (lock.isPresent()) {
            try (Closeable _ = lock.get()) {
                int left = countMax;
                for (Path sender : free) {
                    left -= deliver(sender, left, now);
                }
            }
        }
    }

    /// The folders of senders; anything else there is none of ours.
    private List<Path> senders() throws IOException {
        List<Path> senders = new ArrayList<>();
        for (Path folder : files.list(layout.parked())) {
            String name = String.valueOf(folder.getFileName());
            if (!name.startsWith(".") && Domain.isName(name)) {
                senders.add(folder);
            }
        }
        return senders;
    }

    private boolean hasMail(Path sender) throws IOException {
        for (Path folder : files.list(sender)) {
            if (!files.list(folder).isEmpty()) {
                return true;
            }
        }
        return false;
    }

    private int deliver(Path sender, int countMax, Instant now) throws IOException {
        int count = 0;
        for (Path folder : files.list(sender)) {
            @Nullable Domain domain =
                    Domain.find(String.valueOf(folder.getFileName())).orElse(null);
            if (domain == null) {
                continue;
            }
            List<Path> mail = new ArrayList<>(files.list(folder));
            mail.sort(null);
            for (Path file : mail) {
                if (count == countMax) {
                    return count;
                }
                count++;
                try (Disk.Operation _ = files.begin()) {
                    if (visit(domain, file, now) == Visit.ALL_STAY) {
                        break;
                    }
                } catch (NoSuchFileException e) {
                    // Its inbox is gone, or the file is.
                } catch (WithheldException e) {
                    throw e;
                } catch (IOException e) {
                    copies.journal().trouble(layout.nameOf(file), e);
                }
            }
        }
        return count;
    }

    /// What became of one that might go.
    private enum Visit {
        HOME,
        STAYS,
        ALL_STAY
    }

    /// Brings one home, unless the inbox is too full for its class, or for more of its sender.
    private Visit visit(Domain domain, Path file, Instant now) throws IOException {
        Envelope envelope;
        try {
            envelope =
                    Envelope.parse(
                            RegularFile.read(files, file, EnvelopeText.ENVELOPE_BYTES_MAX)
                                    .orElse(new byte[0]));
        } catch (MalformedEnvelopeException e) {
            // It was whole when it was parked: somebody changed it. `doctor` shows it.
            throw new IOException(e.getMessage(), e);
        }
        Optional<SendResult> earlier = drop.earlier(domain, envelope);
        if (earlier.isPresent()) {
            settle(domain, file, envelope, earlier.get(), now);
            return Visit.HOME;
        }
        if (!admission.hasRoom(domain, envelope, now)) {
            return Visit.ALL_STAY;
        }
        if (admission.pressing(domain, envelope, now) instanceof Refused) {
            return Visit.STAYS;
        }
        files.require(file, Access.ERASE);
        Path mail = layout.mail(domain, envelope.id());
        if (publication.link(file, mail) == Publication.Result.OTHER) {
            throw new FileAlreadyExistsException(mail.toString());
        }
        files.remove(file);
        admission.delivered(domain, envelope, now);
        events.unparked(envelope, domain, layout.nameOf(mail), now);
        return Visit.HOME;
    }

    /// Whoever brought it died before it could clear away; or it was sent again meanwhile.
    private void settle(
            Domain domain, Path file, Envelope envelope, SendResult earlier, Instant now)
            throws IOException {
        if (earlier instanceof SendResult.Conflict(var _, var reason)) {
            copies.burial().end(domain, State.CONFLICT, Header.of(envelope), file, reason, now);
        } else {
            files.remove(file);
        }
    }

    /// The files that are parked on their way to `domain`.
    public List<Path> all(Domain domain) throws IOException {
        List<Path> items = new ArrayList<>();
        if (files.exists(layout.parked())) {
            for (Path sender : senders()) {
                for (Path file : files.list(sender.resolve(domain.name()))) {
                    if (InboxIndex.isMailName(file)) {
                        items.add(file);
                    }
                }
            }
        }
        return items;
    }
}
