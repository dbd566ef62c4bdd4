package dev.pheromone.file.copy;

import dev.pheromone.address.Domain;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.Publication;
import dev.pheromone.disk.Stat;
import dev.pheromone.disk.Trouble;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.EnvelopeText;
import dev.pheromone.envelope.Header;
import dev.pheromone.envelope.MalformedEnvelopeException;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.life.Acceptance;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;

/// Looks at files that may be mail without being hung, led astray or overwhelmed by those that are
/// not: nothing but a regular file is opened, and no more is read than an envelope can be long.
public final class Inspector {

    /// What a file turned out to be.
    public sealed interface Sight {

        /// An envelope, as far as its header tells.
        record Glimpse(Header header, Stat stat) implements Sight {}

        /// An envelope, whole, with the right hash.
        record Mail(Envelope envelope, Stat stat) implements Sight {}

        /// Not an envelope now, but it may become one: somebody is writing it.
        record Unfinished(String reason) implements Sight {}

        /// No envelope, and it will not become one.
        record Bad(String reason, @Nullable EnvelopeId id) implements Sight {}

        /// The name is free: somebody was faster.
        record Gone() implements Sight {}
    }

    private final Disk files;
    private final HiveLayout layout;
    private final FileLimits limits;
    private final Archive archive;

    public Inspector(Disk files, HiveLayout layout, FileLimits limits) {
        this.files = files;
        this.layout = layout;
        this.limits = limits;
        this.archive = new Archive(files, layout);
    }

    /// Reads the header only; enough to put an envelope in order, not enough to deliver it.
    public Sight glance(Path file, Instant now) throws IOException {
        return glance(file, now, new byte[EnvelopeText.PREFIX_BYTES_MAX]);
    }

    /// The same, for who does it often: `buffer` has room for a header, and may be used again.
    public Sight glance(Path file, Instant now, byte[] buffer) throws IOException {
        return inspect(
                file,
                now,
                size -> buffer,
                (bytes, length, stat) -> new Sight.Glimpse(Header.parse(bytes, length), stat));
    }

    /// Reads and checks all of it.
    public Sight look(Domain domain, Path file, Instant now) throws IOException {
        Sight sight =
                inspect(
                        file,
                        now,
                        byte[]::new,
                        (bytes, length, stat) -> {
                            Envelope envelope =
                                    Envelope.parse(
                                            length == bytes.length
                                                    ? bytes
                                                    : Arrays.copyOf(bytes, length));
                            return envelope.hashMatches()
                                    ? new Sight.Mail(envelope, stat)
                                    : unfinishedOr(
                                            stat, now, Acceptance.WRONG_HASH.text(), envelope.id());
                        });
        return sight instanceof Sight.Mail(var envelope, var stat)
                        && stat.links() > 1
                        && hasForeignNames(domain, file, envelope)
                ? new Sight.Bad(
                        "the file has other names outside the hive (hard links)", envelope.id())
                : sight;
    }

    private interface Reading {
        Sight of(byte[] bytes, int length, Stat stat) throws MalformedEnvelopeException;
    }

    private Sight inspect(Path file, Instant now, IntFunction<byte[]> room, Reading reading)
            throws IOException {
        Optional<Disk.Peek> peek;
        try {
            peek = files.peek(file, EnvelopeText.ENVELOPE_BYTES_MAX, room);
        } catch (NoSuchFileException e) {
            return new Sight.Gone();
        } catch (WithheldException e) {
            throw e;
        } catch (IOException e) {
            // An unreadable file: it may be another user's. It stays, and is shown.
            return new Sight.Unfinished("can't be read: " + Trouble.reason(e));
        }
        if (peek.isEmpty()) {
            return new Sight.Gone();
        }
        Stat stat = peek.get().stat();
        if (!stat.isFile()) {
            return new Sight.Bad("a " + kindName(stat) + ", expected a regular file", null);
        }
        if (stat.size() > EnvelopeText.ENVELOPE_BYTES_MAX) {
            return new Sight.Bad(
                    "found "
                            + stat.size()
                            + " bytes, expected at most "
                            + EnvelopeText.ENVELOPE_BYTES_MAX,
                    null);
        }
        if (stat.size() == 0) {
            return unfinishedOr(stat, now, unfinished("the file is empty").reason(), null);
        }
        try {
            return reading.of(peek.get().bytes(), peek.get().length(), stat);
        } catch (MalformedEnvelopeException e) {
            return unfinishedOr(stat, now, e.getMessage(), null);
        }
    }

    private Sight unfinishedOr(Stat stat, Instant now, String reason, @Nullable EnvelopeId id) {
        return stat.changed().plus(limits.quietMin()).isAfter(now)
                ? new Sight.Unfinished(reason)
                : new Sight.Bad(reason, id);
    }

    /// What is wrong with `file`, if it is a part of an envelope as a power cut leaves it: mail is
    /// forced to the disk together with its name, and nobody was told that such mail arrived. Empty
    /// for what is whole, gone, or no file at all.
    Optional<Sight.Bad> torn(Path file) throws IOException {
        Optional<Disk.Peek> peek = files.peek(file, EnvelopeText.ENVELOPE_BYTES_MAX, byte[]::new);
        if (peek.isEmpty()
                || !peek.get().stat().isFile()
                || peek.get().stat().size() > EnvelopeText.ENVELOPE_BYTES_MAX) {
            return Optional.empty();
        }
        try {
            return Envelope.parse(Arrays.copyOf(peek.get().bytes(), peek.get().length()))
                            .hashMatches()
                    ? Optional.empty()
                    : Optional.of(unfinished(Acceptance.WRONG_HASH.text()));
        } catch (MalformedEnvelopeException e) {
            return Optional.of(unfinished(e.getMessage()));
        }
    }

    private static Sight.Bad unfinished(String reason) {
        return new Sight.Bad("an unfinished send: " + reason, null);
    }

    /// Compares `envelope` with the file that has its name.
    public Publication.Comparison comparison(Envelope envelope) {
        return file -> compare(envelope, file);
    }

    public Publication.Likeness compare(Envelope envelope, Path file) throws IOException {
        Optional<Stat> found = files.stat(file);
        if (found.isEmpty()) {
            return Publication.Likeness.GONE;
        }
        // Opening a pipe would wait for ever.
        if (!found.get().isFile()) {
            return Publication.Likeness.OTHER;
        }
        try {
            Envelope other = Envelope.parse(files.read(file, EnvelopeText.ENVELOPE_BYTES_MAX + 1));
            return other.isSameMailAs(envelope)
                    ? Publication.Likeness.SAME
                    : Publication.Likeness.OTHER;
        } catch (MalformedEnvelopeException e) {
            return Publication.Likeness.OTHER;
        } catch (NoSuchFileException e) {
            return Publication.Likeness.GONE;
        }
    }

    private static String kindName(Stat stat) {
        return switch (stat.kind()) {
            case FOLDER -> "folder";
            case LINK -> "symbolic link";
            case OTHER -> "device, pipe or socket";
            case FILE -> "file";
        };
    }

    /// Whether the file has names besides those that we gave it. They come and go while we count,
    /// so that only a count that stays the same is believed.
    private boolean hasForeignNames(Domain domain, Path file, Envelope envelope)
            throws IOException {
        for (int before = -1; ; ) {
            Optional<Stat> found = files.stat(file);
            if (found.isEmpty() || found.get().links() == 1) {
                return false;
            }
            int links = found.get().links();
            if (links == before) {
                return true;
            }
            int own = ownNames(domain, file, found.get(), envelope);
            // The archive is the largest room, and asked last.
            if (links - 1 <= own
                    || links - 1
                            <= own
                                    + archive.countNames(
                                            domain, envelope.id().text(), file, found.get())) {
                return false;
            }
            before = links;
        }
    }

    /// How many names we gave the file besides `file`, but for those in the archive.
    private int ownNames(Domain domain, Path file, Stat stat, Envelope envelope)
            throws IOException {
        int own = 0;
        for (Path folder : List.of(layout.drafts(domain), layout.returning(domain))) {
            for (Path entry : files.list(folder)) {
                own += !entry.equals(file) && isSameFile(entry, stat) ? 1 : 0;
            }
        }
        List<Path> names = new ArrayList<>();
        for (ClaimName claim : ClaimName.list(files, layout.active(domain))) {
            if (claim.id().equals(envelope.id())) {
                names.add(layout.active(domain).resolve(claim.fileName()));
            }
        }
        names.add(layout.mail(domain, envelope.id()));
        for (Path name : names) {
            own += !name.equals(file) && isSameFile(name, stat) ? 1 : 0;
        }
        Path parked = layout.parked(envelope.from(), domain);
        own += isSameFile(parked.resolve(envelope.id() + HiveLayout.MAIL_SUFFIX), stat) ? 1 : 0;
        own += isSameFile(layout.running(domain).resolve(envelope.id().text()), stat) ? 1 : 0;
        own +=
                isSameFile(
                                new SeenSet(files, layout)
                                        .path(domain, envelope.id(), envelope.hash()),
                                stat)
                        ? 1
                        : 0;
        return own;
    }

    private boolean isSameFile(Path path, Stat stat) throws IOException {
        return files.stat(path).filter(stat::isSameFileAs).isPresent();
    }
}
