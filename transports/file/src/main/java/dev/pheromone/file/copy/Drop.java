package dev.pheromone.file.copy;

import dev.pheromone.SendResult;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.Publication;
import dev.pheromone.disk.Stat;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.file.copy.Inspector.Sight;
import dev.pheromone.life.Life;
import dev.pheromone.life.Resend;
import dev.pheromone.life.Resend.Likeness;
import dev.pheromone.life.Why;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// The one durable way of an envelope into an inbox: written aside, given its name, then forced to
/// the disk together with that name. A reader sees the whole envelope or none, and a name that is
/// taken stays as it is.
///
/// A power cut may leave a torn file under the name of an envelope that was not forced yet. Its
/// sender was never told that it had arrived; the file makes room for the same envelope when that
/// is sent again, and ends as what it is when a reader finds it.
public final class Drop {

    /// More than a file system's clock stands still for.
    private static final Duration TICK_MAX = Duration.ofSeconds(2);

    /// How often a copy that moved on while it was looked at is looked for.
    private static final int LOOKS_MAX = 4;

    /// How many names are kept in memory.
    private static final int LISTED_MAX = 1_000;

    /// The end of the name of a mark beside the drafts: an envelope could not be forced.
    private static final String UNFORCED_SUFFIX = ".unforced";

    /// The names in a folder, and what the folder looked like before they were listed.
    private record Listing(Stat folder, List<Path> entries) {}

    private final Map<Path, Listing> listings = new ConcurrentHashMap<>();

    /// The marks of what this process could not force; few, as a disk is in trouble then.
    private final Set<Path> unforced = ConcurrentHashMap.newKeySet();

    private final Disk files;
    private final HiveLayout layout;
    private final SeenSet seen;
    private final Inspector inspector;
    private final Burial burial;
    private final InstantSource clock;
    private final InstantSource diskClock;
    private final Publication publication;

    /// @param diskClock the clock that files' times are of, which is not the hive's in tests
    public Drop(
            Disk files,
            HiveLayout layout,
            Copies copies,
            InstantSource clock,
            InstantSource diskClock) {
        this.files = files;
        this.layout = layout;
        this.seen = copies.seen();
        this.inspector = copies.inspector();
        this.burial = copies.burial();
        this.clock = clock;
        this.diskClock = diskClock;
        this.publication = new Publication(files);
    }

    /// Puts `envelope` into the inbox of `domain`, unless it is known already.
    ///
    /// @param whenNew done before it has a name there, if nobody knows it
    public SendResult publish(Domain domain, Envelope envelope, Runnable whenNew)
            throws IOException {
        Path mail = layout.mail(domain, envelope.id());
        Optional<SendResult> earlier = earlier(domain, envelope);
        if (earlier.isPresent()) {
            return earlier.get();
        }
        whenNew.run();
        try {
            return switch (publication.publishAtOnce(
                    envelope.bytes(),
                    Publication.draft(layout.drafts(domain), envelope.id() + "."),
                    mail,
                    taken -> likeness(domain, envelope, taken))) {
                case NEW -> new SendResult.Delivered(layout.nameOf(mail));
                case SAME -> duplicateOf(domain, envelope, mail);
                case OTHER -> again(domain, there(envelope), Likeness.OTHER, envelope, mail);
            };
        } catch (Publication.UnforcedException e) {
            // The name is there, so that "not sent" would be a lie; and so would be "sent".
            mark(markOf(domain, envelope));
            return new SendResult.Unconfirmed(layout.nameOf(mail), String.valueOf(e.getMessage()));
        }
    }

    /// What an earlier sending of this envelope, or of another with its id, left anywhere.
    public Optional<SendResult> earlier(Domain domain, Envelope envelope) throws IOException {
        for (int looks = 0; looks < LOOKS_MAX; looks++) {
            try {
                Optional<SendResult> earlier = findEarlier(domain, envelope);
                Path mail = layout.mail(domain, envelope.id());
                return earlier.isPresent() || !files.exists(mail)
                        ? earlier
                        : compare(domain, envelope, mail, likeness(domain, envelope, mail));
            } catch (NoSuchFileException e) {
                // The copy has moved on since it was found, to where the next look finds it.
            }
        }
        return Optional.empty();
    }

    /// What an earlier sending of this envelope, or of another with its id, left in the seen-set or
    /// with a worker.
    private Optional<SendResult> findEarlier(Domain domain, Envelope envelope) throws IOException {
        Path finished = seen.path(domain, envelope.id(), envelope.hash());
        if (files.exists(finished)) {
            return Optional.of(duplicate(domain, envelope, finished));
        }
        // What was finished has a history, and to look for that takes no listing of all that ever
        // was. Should somebody have removed it, whoever claims this finds out.
        if (files.exists(layout.history(domain, envelope.id().text()))) {
            Optional<Path> known = seen.find(domain, envelope.id());
            if (known.isPresent() && known.get().equals(finished)) {
                // Finished since the look above.
                return Optional.of(duplicate(domain, envelope, finished));
            }
            if (known.isPresent()) {
                Life ended = Life.over(envelope.hash(), Why.DONE);
                return Optional.of(again(domain, ended, Likeness.OTHER, envelope, known.get()));
            }
        }
        Path active = layout.active(domain);
        Optional<Stat> stat = files.stat(active);
        if (stat.isEmpty()) {
            return Optional.empty();
        }
        Optional<SendResult> claimed = among(listed(active, stat.get()), domain, envelope);
        if (claimed.isPresent()) {
            return claimed;
        }
        // It lies in the folder of claims, and so is there only if that is.
        Path returning = layout.returning(domain);
        stat = files.stat(returning);
        return stat.isEmpty()
                ? Optional.empty()
                : among(listed(returning, stat.get()), domain, envelope);
    }

    private Optional<SendResult> among(List<Path> entries, Domain domain, Envelope envelope)
            throws IOException {
        for (Path entry : entries) {
            if (String.valueOf(entry.getFileName()).startsWith(envelope.id() + ".")) {
                Optional<SendResult> known =
                        compare(domain, envelope, entry, inspector.compare(envelope, entry));
                if (known.isPresent()) {
                    return known;
                }
            }
        }
        return Optional.empty();
    }

    /// What is in `folder`; known without a look inside, if nothing came or went since the last.
    private List<Path> listed(Path folder, Stat stat) throws IOException {
        Listing known = listings.get(folder);
        if (known != null && known.folder().equals(stat)) {
            return known.entries();
        }
        List<Path> entries = files.list(folder);
        // What changes in the same tick of the file system's clock would go unnoticed.
        boolean isAtRest = stat.changed().isBefore(diskClock.instant().minus(TICK_MAX));
        if (isAtRest && entries.size() <= LISTED_MAX) {
            listings.put(folder, new Listing(stat, List.copyOf(entries)));
        }
        return entries;
    }

    /// Says that the envelope is there, in `file`, once that is sure to stay: whoever sent it first
    /// may not have come so far as to force it to the disk. Fails with `NoSuchFileException` if the
    /// file has gone meanwhile.
    private SendResult duplicate(Domain domain, Envelope envelope, Path file) throws IOException {
        if (!publication.confirm(file)) {
            throw new NoSuchFileException(file.toString());
        }
        return duplicateOf(domain, envelope, file);
    }

    /// What the sender of a file that is there, and was forced by now, is told. A disk that failed
    /// to write says so once: after that the kernel takes the content for written, and forcing it
    /// again proves nothing.
    private SendResult duplicateOf(Domain domain, Envelope envelope, Path file) {
        Path mark = markOf(domain, envelope);
        return unforced.contains(mark) || files.exists(mark)
                ? new SendResult.Unconfirmed(
                        layout.nameOf(file), "the disk failed to write it when it was sent first")
                : new SendResult.Duplicate(layout.nameOf(file));
    }

    private Path markOf(Domain domain, Envelope envelope) {
        return layout.drafts(domain).resolve(envelope.id() + UNFORCED_SUFFIX);
    }

    /// Remembers, for other processes too, that an envelope could not be forced. Recovery removes
    /// the mark with old drafts.
    private void mark(Path mark) {
        if (unforced.size() < LISTED_MAX) {
            unforced.add(mark);
        }
        try {
            files.create(mark, new byte[0]);
        } catch (IOException e) {
            // It is there already, or the disk takes nothing any more.
        }
    }

    /// Duplicate or conflict with the envelope in `file`; empty if that has gone meanwhile.
    private Optional<SendResult> compare(
            Domain domain, Envelope envelope, Path file, Publication.Likeness likeness)
            throws IOException {
        return switch (likeness) {
            case SAME -> Optional.of(again(domain, there(envelope), Likeness.SAME, envelope, file));
            case OTHER ->
                    Optional.of(again(domain, there(envelope), Likeness.OTHER, envelope, file));
            case GONE -> Optional.empty();
        };
    }

    /// How the file `mail` of the inbox compares with `envelope`. A torn file is archived first.
    private Publication.Likeness likeness(Domain domain, Envelope envelope, Path mail)
            throws IOException {
        Optional<Sight.Bad> torn = inspector.torn(mail);
        if (torn.isPresent()) {
            burial.bury(domain, mail, torn.get(), clock.instant());
        }
        return inspector.compare(envelope, mail);
    }

    /// The life of the copy that has the id of `envelope`. Whether that copy waits or is claimed
    /// makes no difference to its sender.
    private static Life there(Envelope envelope) {
        return Life.begun(envelope.hash(), envelope.ts());
    }

    /// What becomes of mail whose id the copy in `file` has.
    private SendResult again(
            Domain domain, Life known, Likeness likeness, Envelope envelope, Path file)
            throws IOException {
        return switch (known.sentAgain(likeness, envelope.id())) {
            case Resend.Duplicate _ -> duplicate(domain, envelope, file);
            case Resend.Conflict(var reason) ->
                    new SendResult.Conflict(layout.nameOf(file), reason);
            case Resend.Anew _ ->
                    throw new IllegalStateException("what is there leaves no id free: " + file);
        };
    }
}
