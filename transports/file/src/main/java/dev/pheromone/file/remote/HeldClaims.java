package dev.pheromone.file.remote;

import dev.pheromone.Claim;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.RegularFile;
import dev.pheromone.disk.Tags;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.EnvelopeText;
import dev.pheromone.envelope.MalformedEnvelopeException;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/// What commands of this hive took by way of another transport, so that a later command can settle
/// it or read it again. A note for ourselves: the other side knows who holds what, and losing this
/// means to wait for the end of a lease.
public final class HeldClaims {

    private static final int TAG_LENGTH = 8;
    private static final String DONE = ".done";
    private static final String RELEASED = ".released";
    private static final int HEAD_BYTES_MAX = 16 * 1024;

    /// How long after its lease a claim is remembered, for whoever comes too late to be told so.
    private static final Duration REMEMBERED = Duration.ofDays(1);

    private final Disk files;
    private final Path folder;
    private final InstantSource clock;

    /// A claim that a command of this hive made.
    public record Held(
            String token,
            Domain inbox,
            Actor worker,
            int attempt,
            Instant leaseEndsAt,
            String location,
            Envelope envelope) {}

    HeldClaims(Disk files, HiveLayout layout, String transport, InstantSource clock) {
        this.files = files;
        this.folder = layout.heldElsewhere(transport);
        this.clock = clock;
    }

    /// Remembers `claim`, and forgets those that nobody can settle any more.
    public void remember(Claim claim) throws IOException {
        forgetOld();
        byte[] head =
                (Json.obj()
                                        .put("token", claim.token())
                                        .put("inbox", claim.inbox().name())
                                        .put("worker", claim.worker().name())
                                        .put("attempt", claim.attempt())
                                        .put("lease_ends_at", IsoTime.format(claim.leaseEndsAt()))
                                        .put("location", claim.location())
                                + "\n")
                        .getBytes(StandardCharsets.UTF_8);
        byte[] envelope = claim.envelope().bytes();
        byte[] content = Arrays.copyOf(head, head.length + envelope.length);
        System.arraycopy(envelope, 0, content, head.length, envelope.length);
        files.createFolder(folder);
        String name = claim.envelope().id() + "." + Tags.random(TAG_LENGTH);
        Path draft = folder.resolve("." + name);
        files.create(draft, content);
        files.rename(draft, folder.resolve(name));
    }

    /// What is held of the envelopes whose id is, or ends with, `text`, in any case; or by the
    /// claim of that name.
    public List<Held> find(String text) throws IOException {
        String wanted = text.toUpperCase(Locale.ROOT);
        List<Held> found = new ArrayList<>();
        for (Path file : files.list(folder)) {
            Optional<Held> held = read(file);
            if (held.isPresent()
                    && (held.get().token().equals(text)
                            || held.get()
                                    .envelope()
                                    .id()
                                    .text()
                                    .toUpperCase(Locale.ROOT)
                                    .endsWith(wanted))) {
                found.add(held.get());
            }
        }
        return found;
    }

    /// Forgets the claim of that name, which has ended.
    public void forget(String token) throws IOException {
        for (Path file : files.list(folder)) {
            Optional<Held> held = read(file);
            if (held.isPresent() && held.get().token().equals(token)) {
                remove(file);
            }
        }
    }

    /// Notes that the claim of that name was given back. That does not count as an attempt, so the
    /// same worker's next claim has the same number.
    public void noteReleased(String token) throws IOException {
        for (Held held : find(token)) {
            note(releasedNote(held.inbox(), held.envelope().id(), held.worker(), held.attempt()));
        }
    }

    /// Whether an earlier claim of that number was given back, within the time for which claims are
    /// remembered.
    public boolean wasReleased(Domain inbox, EnvelopeId id, Actor worker, int attempt)
            throws IOException {
        return files.exists(releasedNote(inbox, id, worker, attempt));
    }

    private Path releasedNote(Domain inbox, EnvelopeId id, Actor worker, int attempt) {
        return noted(
                RELEASED, "%s %s %s %d".formatted(inbox.name(), id.text(), worker.name(), attempt));
    }

    /// Notes that a command said that the claim of that name is done, and was heard: it may say so
    /// once more, for as long as it could have been too late. Not for workers that stay, who never
    /// ask again.
    public void noteDone(String token) throws IOException {
        note(noted(DONE, token));
    }

    /// Whether that was noted.
    public boolean isDone(String token) throws IOException {
        return files.exists(noted(DONE, token));
    }

    /// Creates an empty file, and removes those beside it that are old.
    private void note(Path note) throws IOException {
        Path notes = Objects.requireNonNull(note.getParent());
        Instant old = clock.instant().minus(REMEMBERED);
        for (Path other : files.list(notes)) {
            if (files.stat(other).filter(stat -> stat.modified().isBefore(old)).isPresent()) {
                remove(other);
            }
        }
        files.createFolder(notes);
        try {
            files.create(note, new byte[0]);
        } catch (FileAlreadyExistsException e) {
            // It was said at the same time.
        }
    }

    /// By a hash: a claim's name is as long as its server likes.
    private Path noted(String notes, String what) {
        byte[] hash = ContentHash.sha256().digest(what.getBytes(StandardCharsets.UTF_8));
        return folder.resolve(notes).resolve(HexFormat.of().formatHex(hash));
    }

    private void forgetOld() throws IOException {
        Instant old = clock.instant().minus(REMEMBERED);
        for (Path file : files.list(folder)) {
            Optional<Held> held = read(file);
            if (held.isPresent() && held.get().leaseEndsAt().isBefore(old)) {
                remove(file);
            }
        }
    }

    private void remove(Path file) throws IOException {
        try {
            files.remove(file);
        } catch (NoSuchFileException e) {
            // Another command did.
        }
    }

    /// Empty for what is none of ours.
    private Optional<Held> read(Path file) throws IOException {
        if (String.valueOf(file.getFileName()).startsWith(".")) {
            return Optional.empty();
        }
        Optional<byte[]> content =
                RegularFile.read(files, file, HEAD_BYTES_MAX + EnvelopeText.ENVELOPE_BYTES_MAX);
        if (content.isEmpty()) {
            return Optional.empty();
        }
        byte[] bytes = content.get();
        int end = 0;
        while (end < bytes.length && bytes[end] != '\n') {
            end++;
        }
        try {
            return Json.parse(Arrays.copyOf(bytes, end)) instanceof Json.Obj head
                    ? Optional.of(
                            held(
                                    head,
                                    Envelope.parse(
                                            Arrays.copyOfRange(
                                                    bytes,
                                                    Math.min(end + 1, bytes.length),
                                                    bytes.length))))
                    : Optional.empty();
        } catch (MalformedJsonException | MalformedEnvelopeException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static Held held(Json.Obj head, Envelope envelope) {
        return new Held(
                head.text("token"),
                Domain.parse(head.text("inbox")),
                Actor.parse(head.text("worker")),
                Math.toIntExact(head.number("attempt")),
                Instant.parse(head.text("lease_ends_at")),
                head.text("location"),
                envelope);
    }
}
