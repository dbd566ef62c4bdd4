package dev.pheromone.file.remote;

import dev.pheromone.State;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.Publication;
import dev.pheromone.disk.RegularFile;
import dev.pheromone.disk.Stat;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.guard.Access;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/// What an [Outbox] remembers of mail beside its bytes: which copies are settled, since when a
/// broker has had it, and that its inboxes are to be made. A note is only believed while the mail
/// is there: notes are removed after the mail, and what a process that died in between left of them
/// is forgotten before the same mail is put here again.
///
/// What came of sending is noted without forcing it to the disk. A note that a power cut lost or
/// tore, or that says something else, says nothing: the copy is sent again, to a receiver who knows
/// it. A note ends with a line end, and no part of a note that is cut before its end is a note.
final class OutboxNotes {

    /// A note may name all inboxes that an envelope is for.
    private static final int NOTE_BYTES_MAX = 65_536;

    private static final String ARRIVED = "arrived";
    private static final String NO_SUCH_INBOX = "no_such_inbox";

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
    ///
    /// @param isInboxMissing whether it did because nobody has an inbox for it
    record Ending(State state, String reason, boolean isInboxMissing) {

        private byte[] bytes() {
            String how = isInboxMissing ? NO_SUCH_INBOX : state.toString();
            String line = String.join(" ", reason.lines().toList());
            return (how + "\n" + line + "\n").getBytes(StandardCharsets.UTF_8);
        }

        /// The ending that `text` says; fails on any other text.
        private static Ending parse(String text) {
            int line = text.indexOf('\n');
            if (line < 0) {
                throw new IllegalArgumentException(
                        "found \"%s\", expected %s, or a state and a reason on lines of their own"
                                .formatted(text, ARRIVED));
            }
            String how = text.substring(0, line);
            String reason = text.substring(line + 1);
            return how.equals(NO_SUCH_INBOX)
                    ? new Ending(State.DEAD, reason, true)
                    : new Ending(State.parse(how), reason, false);
        }
    }

    /// Notes that the inboxes of an envelope are to be made before it goes.
    void setToCreate(EnvelopeId id) throws IOException {
        Path note = created.resolve(id.text());
        files.require(note, Access.WRITE);
        files.createFolder(created);
        Publication.Result _ =
                publication.publish(
                        new byte[0],
                        draft(note),
                        note,
                        // Another process noted the same.
                        publication.presence(Publication.Likeness.SAME));
    }

    boolean isToCreate(EnvelopeId id) {
        return files.exists(created.resolve(id.text()));
    }

    /// The copies that need not be sent again, each with how it ended, or null if it arrived.
    Map<Domain, @Nullable Ending> settled(EnvelopeId id) throws IOException {
        Map<Domain, @Nullable Ending> copies = new LinkedHashMap<>();
        for (Map.Entry<Domain, Path> note : settledNotes(id).entrySet()) {
            Optional<String> text = text(note.getValue());
            try {
                if (text.isPresent()) {
                    String known = text.get();
                    copies.put(note.getKey(), known.equals(ARRIVED) ? null : Ending.parse(known));
                }
            } catch (IllegalArgumentException e) {
                // As if there were no note.
            }
        }
        return copies;
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

    /// What a note says, without its last line end; empty if there is no whole note.
    private Optional<String> text(Path note) throws IOException {
        try {
            return RegularFile.read(files, note, NOTE_BYTES_MAX)
                    .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
                    .filter(text -> text.endsWith("\n"))
                    .map(text -> text.substring(0, text.length() - 1));
        } catch (FileSystemException e) {
            return Optional.empty();
        }
    }

    /// Notes that the copy for `inbox` is settled.
    ///
    /// @param ending how it ended; null if it arrived
    void settle(EnvelopeId id, Domain inbox, @Nullable Ending ending) throws IOException {
        Path note = settled.resolve(id + "." + inbox.name());
        if (!settled(id).containsKey(inbox)) {
            // A torn note would stay.
            remove(note);
        }
        write(
                note,
                ending == null
                        ? (ARRIVED + "\n").getBytes(StandardCharsets.UTF_8)
                        : ending.bytes());
    }

    /// Since when a broker has had copies of an envelope, when one was last sent there, and the
    /// inboxes whose receivers have not answered since.
    record AtBroker(Instant since, Instant last, Set<Domain> silent) {}

    /// What is known of an envelope at a broker; empty if it is not there.
    Optional<AtBroker> atBroker(EnvelopeId id) throws IOException {
        Path note = broker.resolve(id.text());
        Optional<Stat> stat = files.stat(note);
        return stat.isPresent() ? atBroker(note, stat.get()) : Optional.empty();
    }

    private Optional<AtBroker> atBroker(Path note, Stat stat) throws IOException {
        Optional<String> text = text(note);
        if (text.isEmpty()) {
            return Optional.empty();
        }
        List<String> words = List.of(text.get().split(" ", -1));
        try {
            Set<Domain> silent = new LinkedHashSet<>();
            words.stream().skip(1).forEach(inbox -> silent.add(Domain.parse(inbox)));
            return silent.isEmpty()
                    ? Optional.empty()
                    : Optional.of(
                            new AtBroker(Instant.parse(words.getFirst()), stat.modified(), silent));
        } catch (DateTimeParseException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /// Notes what came of sending the copies of an envelope that were not settled. A copy for
    /// another inbox than these was answered: the broker has nothing more of it.
    ///
    /// @param silent the inboxes whose copies the broker got now, and no receiver has answered
    /// @param unsent the inboxes whose copies did not get to the broker now: what it had of them
    ///   before, it has still
    void setAtBroker(
            EnvelopeId id, Collection<Domain> silent, Collection<Domain> unsent, Instant now)
            throws IOException {
        Path note = broker.resolve(id.text());
        Optional<Stat> stat = files.stat(note);
        Optional<AtBroker> before =
                stat.isPresent() ? atBroker(note, stat.get()) : Optional.empty();
        Set<Domain> known = before.map(AtBroker::silent).orElse(Set.of());
        Set<Domain> there = new LinkedHashSet<>(known);
        there.retainAll(Set.copyOf(unsent));
        there.addAll(silent);
        if (stat.isPresent() && (there.isEmpty() || !there.equals(known))) {
            remove(note);
        }
        if (there.isEmpty()) {
            return;
        }
        if (!there.equals(known)) {
            // An inbox that was not silent before is silent since now.
            Instant since =
                    before.map(AtBroker::since).filter(_ -> known.containsAll(there)).orElse(now);
            StringBuilder text = new StringBuilder(since.toString());
            there.forEach(inbox -> text.append(' ').append(inbox.name()));
            write(note, text.append('\n').toString().getBytes(StandardCharsets.UTF_8));
        }
        try {
            files.touch(note, before.map(AtBroker::last).filter(_ -> silent.isEmpty()).orElse(now));
        } catch (NoSuchFileException e) {
            // Another process sends the same mail, and notes the same.
        }
    }

    /// Writes a note under its own name, unless another process noted the same: a reader that finds
    /// half a note takes it for none.
    private void write(Path note, byte[] content) throws IOException {
        Path folder = Objects.requireNonNull(note.getParent());
        try (Disk.Handle _ = files.in(folder, () -> files.openDraft(note, content))) {
            // Nothing of the note is forced.
        } catch (FileAlreadyExistsException e) {
            // As above.
        }
    }

    private Path draft(Path note) {
        return Publication.draft(drafts, note.getFileName() + ".");
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
