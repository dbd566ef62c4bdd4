package dev.pheromone.file.admission;

import dev.pheromone.SendResult;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.Publication;
import dev.pheromone.disk.RegularFile;
import dev.pheromone.disk.Stat;
import dev.pheromone.file.copy.Journal;
import dev.pheromone.guard.WithheldException;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// The senders that an inbox refuses for their own doing: the event log hears of the first refusal
/// at once, and then once a minute how many there were, so that a runaway sender is seen and does
/// not flood the log.
///
/// A file for each sender, `state/<domain>/refused/<sender>`: a line that says when the log was
/// told and why mail was refused, and a dot for each refusal since. Whoever renames the file away
/// tells what it counts. Losing the file is harmless, and whatever goes wrong with it stops nobody.
public final class Refusals {

    private static final Duration TOLD_EVERY = Duration.ofMinutes(1);

    /// More dots than so are not counted.
    private static final int BYTES_MAX = 256 * 1024;

    private static final byte[] DOT = {'.'};

    private final Disk files;
    private final HiveLayout layout;
    private final AdmissionEvents events;
    private final Journal journal;
    private final Publication publication;

    public Refusals(Disk files, HiveLayout layout, AdmissionEvents events, Journal journal) {
        this.files = files;
        this.layout = layout;
        this.events = events;
        this.journal = journal;
        this.publication = new Publication(files);
    }

    /// What one file says.
    ///
    /// @param count how many refusals the log does not know of
    private record Note(Instant toldAt, String reason, int count) {

        static Optional<Note> parse(byte[] bytes) {
            String text = new String(bytes, StandardCharsets.UTF_8);
            int lineEnd = text.indexOf('\n');
            int space = text.indexOf(' ');
            if (space < 1 || lineEnd < space) {
                return Optional.empty();
            }
            try {
                return Optional.of(
                        new Note(
                                Instant.ofEpochMilli(Long.parseLong(text.substring(0, space))),
                                text.substring(space + 1, lineEnd),
                                text.length() - lineEnd - 1));
            } catch (NumberFormatException e) {
                return Optional.empty();
            }
        }

        boolean isDue(Instant now) {
            return now.isBefore(toldAt) || !now.isBefore(toldAt.plus(TOLD_EVERY));
        }
    }

    /// Counts a refusal, and tells the log if that is due.
    public void add(Domain domain, Actor sender, SendResult.Refused refused, Instant now) {
        Path file = file(domain, HiveLayout.fileNameOf(sender));
        try {
            if (!files.exists(file) && isBegun(file, refused.reason(), now)) {
                events.refused(domain, sender.name(), 1, now, refused.reason(), now);
                return;
            }
            Optional<Note> note = read(file);
            if (note.isPresent() && !note.get().isDue(now)) {
                count(file);
                return;
            }
            Optional<Note> taken = take(file);
            if (taken.isPresent() && isBegun(file, refused.reason(), now)) {
                int before = taken.get().count();
                Instant since = before == 0 ? now : taken.get().toldAt();
                events.refused(domain, sender.name(), before + 1, since, refused.reason(), now);
            } else {
                // Another process tells this moment.
                count(file);
            }
        } catch (IOException e) {
            journal.trouble("refusals of " + sender + " at " + domain, e);
        }
    }

    private Path file(Domain domain, String sender) {
        return layout.refused(domain).resolve(sender);
    }

    /// A name beside `file` that no reader looks at.
    private static Path aside(Path file) {
        return Publication.draft(
                Objects.requireNonNull(file.getParent()), "." + file.getFileName() + ".");
    }

    private Optional<Note> read(Path file) throws IOException {
        try {
            return RegularFile.read(files, file, BYTES_MAX + 1).flatMap(Note::parse);
        } catch (WithheldException e) {
            throw e;
        } catch (IOException e) {
            // Gone just now, or something else that has the name.
            return Optional.empty();
        }
    }

    /// Only who makes the file tells. The file appears with its line: a dot that another process
    /// added to an empty file would be overwritten by the line.
    private boolean isBegun(Path file, String reason, Instant now) throws IOException {
        String line = now.toEpochMilli() + " " + reason.replace('\n', ' ') + "\n";
        return publication.publishUnforced(
                line.getBytes(StandardCharsets.UTF_8), aside(file), file);
    }

    private void count(Path file) throws IOException {
        if (files.stat(file).filter(stat -> stat.isFile() && stat.size() < BYTES_MAX).isPresent()) {
            try (Disk.Appender appender = files.openAppend(file)) {
                appender.write(ByteBuffer.wrap(DOT));
            }
        }
    }

    /// Takes the file away, and reads it; empty if another process was faster.
    private Optional<Note> take(Path file) throws IOException {
        Path aside = aside(file);
        try {
            files.rename(file, aside);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
        Optional<Note> note = read(aside);
        files.remove(aside);
        // What can't be read counts for nothing.
        return Optional.of(note.orElse(new Note(Instant.EPOCH, "", 0)));
    }

    /// Tells what is left to tell of senders that have stopped, for who keeps the hive in order.
    public void tellRest(Domain domain, Instant now) throws IOException {
        for (Path file : notes(domain)) {
            Optional<Note> note = read(file);
            if (note.isPresent() && note.get().isDue(now)) {
                Optional<Note> taken = take(file);
                if (taken.isPresent() && taken.get().count() > 0) {
                    events.refused(
                            domain,
                            String.valueOf(file.getFileName()),
                            taken.get().count(),
                            taken.get().toldAt(),
                            taken.get().reason(),
                            now);
                }
            }
        }
    }

    /// The senders that were refused in the last minute or so, and why.
    public List<RefusedSender> recent(Domain domain, Instant now) throws IOException {
        List<RefusedSender> recent = new ArrayList<>();
        for (Path file : notes(domain)) {
            Optional<Note> note = read(file);
            Optional<Stat> stat = files.stat(file);
            if (note.isPresent()
                    && stat.isPresent()
                    && stat.get().modified().plus(TOLD_EVERY).isAfter(now)) {
                recent.add(
                        new RefusedSender(
                                Actor.parse(String.valueOf(file.getFileName())),
                                domain,
                                note.get().count() + 1,
                                note.get().toldAt(),
                                note.get().reason()));
            }
        }
        return recent;
    }

    private List<Path> notes(Domain domain) throws IOException {
        if (!files.exists(layout.refused(domain))) {
            return List.of();
        }
        List<Path> notes = new ArrayList<>();
        for (Path file : files.list(layout.refused(domain))) {
            String name = String.valueOf(file.getFileName());
            if (!name.startsWith(".") && Domain.isName(name)) {
                notes.add(file);
            }
        }
        return notes;
    }
}
