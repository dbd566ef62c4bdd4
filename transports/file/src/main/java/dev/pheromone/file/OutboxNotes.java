package dev.pheromone.file;

import dev.pheromone.Domain;
import dev.pheromone.EnvelopeId;
import dev.pheromone.State;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.Publication;
import dev.pheromone.disk.RegularFile;
import dev.pheromone.disk.Stat;
import dev.pheromone.guard.Access;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// What an [Outbox] remembers of mail beside its bytes: which copies are settled, since when a
/// broker has had it, and that its inboxes are to be made. A note is only believed while the mail
/// is there: notes are removed after the mail, and what a process that died in between left of them
/// is forgotten before the same mail is put here again.
final class OutboxNotes {

    /// A reason is a sentence.
    private static final int NOTE_BYTES_MAX = 4_096;

    private static final String ARRIVED = "arrived";

    private final Disk files;
    private final Publication publication;
    private final Path drafts;
    private final Path created;
    private final Path settled;
    private final Path broker;

    OutboxNotes(Disk files, Path outbox) {
        this.files = files;
        this.publication = new Publication(files);
        this.drafts = outbox.resolve(Outbox.DRAFTS);
        this.created = outbox.resolve(".create");
        this.settled = outbox.resolve(".settled");
        this.broker = outbox.resolve(".broker");
    }

    /// How a copy ended that never arrives.
    record Ending(State state, String reason) {

        private byte[] bytes() {
            return (state + "\n" + reason).getBytes(StandardCharsets.UTF_8);
        }

        /// The ending that `text` says; fails on any other text.
        private static Ending parse(String text) {
            int line = text.indexOf('\n');
            if (line < 0) {
                throw new IllegalArgumentException(
                        "found \"%s\", expected %s, or a state and a reason on lines of their own"
                                .formatted(text, ARRIVED));
            }
            return new Ending(State.parse(text.substring(0, line)), text.substring(line + 1));
        }
    }

    /// Notes that the inboxes of an envelope are to be made before it goes.
    void setToCreate(EnvelopeId id) throws IOException {
        Path note = created.resolve(id.text());
        files.require(note, Access.WRITE);
        write(created, note, new byte[0]);
    }

    boolean isToCreate(EnvelopeId id) {
        return files.exists(created.resolve(id.text()));
    }

    /// The copies that need not be sent again, each with how it ended, or null if it arrived.
    Map<Domain, @Nullable Ending> settled(EnvelopeId id) throws IOException {
        Map<Domain, @Nullable Ending> copies = new LinkedHashMap<>();
        for (Map.Entry<Domain, Path> note : settledNotes(id).entrySet()) {
            // Empty if another process has just removed the note.
            Optional<String> text = text(note.getValue());
            if (text.isPresent()) {
                copies.put(note.getKey(), ending(note.getValue(), text.get()));
            }
        }
        return copies;
    }

    private static @Nullable Ending ending(Path note, String text) throws IOException {
        try {
            return text.equals(ARRIVED) ? null : Ending.parse(text);
        } catch (IllegalArgumentException e) {
            throw malformed(note, String.valueOf(e.getMessage()), e);
        }
    }

    private static IOException malformed(Path note, String reason, Exception cause) {
        FileSystemException problem = new FileSystemException(note.toString(), null, reason);
        problem.initCause(cause);
        return problem;
    }

    private Map<Domain, Path> settledNotes(EnvelopeId id) throws IOException {
        Map<Domain, Path> found = new LinkedHashMap<>();
        String prefix = id + ".";
        for (Path note : files.list(settled)) {
            String name = String.valueOf(note.getFileName());
            if (name.startsWith(prefix)) {
                Domain.find(name.substring(prefix.length()))
                        .ifPresent(inbox -> found.put(inbox, note));
            }
        }
        return found;
    }

    private Optional<String> text(Path note) throws IOException {
        return RegularFile.read(files, note, NOTE_BYTES_MAX)
                .map(bytes -> new String(bytes, StandardCharsets.UTF_8));
    }

    /// Notes that the copy for `inbox` is settled.
    ///
    /// @param ending how it ended; null if it arrived
    void settle(EnvelopeId id, Domain inbox, @Nullable Ending ending) throws IOException {
        write(
                settled,
                settled.resolve(id + "." + inbox.name()),
                ending == null ? ARRIVED.getBytes(StandardCharsets.UTF_8) : ending.bytes());
    }

    /// Since when a broker has had an envelope, and when it was last sent there.
    record AtBroker(Instant since, Instant last) {}

    /// What is known of an envelope at a broker; empty if it was never there.
    Optional<AtBroker> atBroker(EnvelopeId id) throws IOException {
        Path note = broker.resolve(id.text());
        Optional<Stat> stat = files.stat(note);
        Optional<String> since = text(note);
        if (stat.isEmpty() || since.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(new AtBroker(Instant.parse(since.get()), stat.get().modified()));
        } catch (DateTimeParseException e) {
            throw malformed(
                    note,
                    "found \"%s\", expected a time such as 2026-01-31T12:00:00Z"
                            .formatted(since.get()),
                    e);
        }
    }

    /// Notes that a broker has an envelope since `now`, or since an earlier time that is noted
    /// already, and got it again now.
    void setAtBroker(EnvelopeId id, Instant now) throws IOException {
        Path note = broker.resolve(id.text());
        write(broker, note, now.toString().getBytes(StandardCharsets.UTF_8));
        files.touch(note, now);
    }

    private void write(Path folder, Path note, byte[] content) throws IOException {
        files.createFolder(folder);
        Publication.Result _ =
                publication.publish(
                        content,
                        Publication.draft(drafts, note.getFileName() + "."),
                        note,
                        // Another process noted the same.
                        publication.presence(Publication.Likeness.SAME));
    }

    /// Forgets all about an envelope.
    void forget(EnvelopeId id) throws IOException {
        remove(created.resolve(id.text()));
        forgetSending(id);
    }

    /// Forgets what came of sending an envelope.
    void forgetSending(EnvelopeId id) throws IOException {
        remove(broker.resolve(id.text()));
        for (Path note : settledNotes(id).values()) {
            remove(note);
        }
    }

    private void remove(Path note) throws IOException {
        if (files.exists(note)) {
            try {
                files.remove(note);
            } catch (NoSuchFileException e) {
                // Another process was faster.
            }
        }
    }
}
