package dev.pheromone.file.scope;

import dev.pheromone.address.Actor;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.GuardedFiles;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.disk.Publication;
import dev.pheromone.disk.RegularFile;
import dev.pheromone.disk.Stat;
import dev.pheromone.disk.Tags;
import dev.pheromone.disk.Trouble;
import dev.pheromone.guard.PolicyGuard;
import dev.pheromone.guard.WithheldException;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// The reservations of a hive: a file for each, `reservations/<holder>.<id>.json`.
///
/// Whoever reserves does so alone, so that of two who want the same the second sees the first. A
/// file that can't be read is told of, and keeps nobody from anything.
public final class Reservations {

    private static final String SUFFIX = ".json";

    /// So many are looked at.
    private static final int COUNT_MAX = 1_000;

    /// A sign of life that is younger needs no other: it costs a write.
    private static final Duration RENEWAL = Duration.ofSeconds(20);

    /// To reserve takes a few milliseconds: who waits for five seconds waits for something stuck.
    private static final int TRIES_MAX = 2_500;

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final Disk files;
    private final HiveLayout layout;

    public Reservations(Disk files, HiveLayout layout) {
        this.files = files;
        this.layout = layout;
    }

    /// Those of the hive at `layout`, behind `guard`.
    public static Reservations of(HiveLayout layout, PolicyGuard guard) {
        return new Reservations(new GuardedFiles(new LocalDisk(), guard), layout);
    }

    /// What is reserved at one moment.
    ///
    /// @param unreadable of files that can't be read: their names, and why
    public record View(List<Hold.Reserved> live, List<String> unreadable) {

        public View {
            live = List.copyOf(live);
            unreadable = List.copyOf(unreadable);
        }

        public List<Reservation> reservations() {
            List<Reservation> all = new ArrayList<>();
            live.forEach(hold -> all.add(hold.reservation()));
            return all;
        }
    }

    /// What may stand against a reservation, asked while nobody else can make one.
    public interface Rule {

        /// The hold that stands against it, or null.
        @Nullable Hold against(View now) throws IOException;
    }

    /// What became of a reservation that was wanted.
    public sealed interface Result {

        record Made(Hold.Reserved hold) implements Result {}

        record Held(Hold hold) implements Result {}

        /// Others were reserving all the time.
        record Busy() implements Result {}
    }

    public View view(Instant now) throws IOException {
        List<Hold.Reserved> live = new ArrayList<>();
        List<String> unreadable = new ArrayList<>();
        for (Path file : all()) {
            try {
                Hold.Reserved hold = read(file, now);
                if (hold != null && !hold.reservation().isOver(now)) {
                    live.add(hold);
                }
            } catch (IllegalArgumentException e) {
                unreadable.add(layout.nameOf(file) + ": " + e.getMessage());
            }
        }
        live.sort(Comparator.comparing(hold -> hold.reservation().since()));
        return new View(live, unreadable);
    }

    /// The files there are; most hives have no folder of them.
    private List<Path> all() throws IOException {
        if (!mayBeAny()) {
            return List.of();
        }
        List<Path> all = new ArrayList<>();
        for (Path file : files.list(layout.reservations())) {
            String name = nameOf(file);
            if (name.endsWith(SUFFIX) && !name.startsWith(".") && all.size() < COUNT_MAX) {
                all.add(file);
            }
        }
        return all;
    }

    private static String nameOf(Path file) {
        return String.valueOf(file.getFileName());
    }

    /// Null if the file is gone.
    ///
    /// @throws IllegalArgumentException if it is no reservation
    private Hold.@Nullable Reserved read(Path file, Instant now) throws IOException {
        Optional<Stat> stat;
        Optional<byte[]> bytes;
        try {
            stat = files.stat(file);
            bytes = RegularFile.read(files, file, ReservationText.BYTES_MAX);
        } catch (WithheldException e) {
            throw e;
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException e) {
            throw new IllegalArgumentException(Trouble.of(e), e);
        }
        if (stat.isEmpty() || bytes.isEmpty()) {
            return null;
        }
        Reservation reservation =
                ReservationText.parse(idOf(file), bytes.get(), stat.get().modified());
        if (!file.equals(file(reservation.holder(), reservation.id()))) {
            throw new IllegalArgumentException(
                    "holder: found \"%s\", expected the one in the file's name"
                            .formatted(reservation.holder()));
        }
        if (reservation.since().isAfter(now.plus(Reservation.TTL_MAX))) {
            // A clock that was wrong must not keep others out for as long as that lasts.
            throw new IllegalArgumentException(
                    "since: found %s, expected no time to come".formatted(reservation.since()));
        }
        return new Hold.Reserved(reservation, layout.nameOf(file));
    }

    private static String idOf(Path file) {
        String name = nameOf(file);
        String stem = name.substring(0, name.length() - SUFFIX.length());
        return stem.substring(stem.lastIndexOf('.') + 1);
    }

    private Path file(Actor holder, String id) {
        return layout.reservations().resolve(prefix(holder) + id + SUFFIX);
    }

    private static String prefix(Actor holder) {
        return HiveLayout.fileNameOf(holder) + ".";
    }

    /// Reserves `paths` for `holder`, unless `rule` knows what stands against it; on the disk when
    /// this returns. Those of the holder for the very same paths give way to it.
    public Result add(
            Actor holder, List<String> paths, String why, Duration ttl, Instant now, Rule rule)
            throws IOException {
        Reservation wanted =
                new Reservation(
                        Tags.random(Reservation.ID_LENGTH), holder, paths, why, now, ttl, now);
        files.createFolder(layout.states());
        for (int tries = 0; tries < TRIES_MAX; tries++) {
            Optional<Closeable> turn = files.tryLock(layout.reservationsLock());
            if (turn.isPresent()) {
                try (Closeable _ = turn.get()) {
                    return addAlone(wanted, now, rule);
                }
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return new Result.Busy();
    }

    private Result addAlone(Reservation wanted, Instant now, Rule rule) throws IOException {
        // What is over is gone for good before others may rely on that: no late sign of life
        // brings it back.
        removeEnded(now);
        View view = view(now);
        Hold against = rule.against(view);
        if (against != null) {
            return new Result.Held(against);
        }
        Path file = file(wanted.holder(), wanted.id());
        try (Disk.Operation _ = files.begin()) {
            Publication publication = new Publication(files);
            Publication.Result result =
                    publication.publish(
                            ReservationText.of(wanted),
                            Publication.draft(layout.reservations(), "."),
                            file,
                            publication.presence(Publication.Likeness.OTHER));
            if (result != Publication.Result.NEW) {
                throw new IOException(layout.nameOf(file) + " is taken");
            }
            files.touch(file, now);
            for (Hold.Reserved earlier : view.live()) {
                if (earlier.holder().equals(wanted.holder())
                        && earlier.paths().equals(wanted.paths())) {
                    boolean _ = remove(earlier.reservation());
                }
            }
        }
        return new Result.Made(new Hold.Reserved(wanted, layout.nameOf(file)));
    }

    /// Takes a reservation away; false if it was gone.
    public boolean remove(Reservation reservation) throws IOException {
        return remove(file(reservation.holder(), reservation.id()));
    }

    private boolean remove(Path file) throws IOException {
        try {
            files.remove(file);
            return true;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /// Takes away what is over.
    public void removeEnded(Instant now) throws IOException {
        for (Path file : all()) {
            try {
                Hold.Reserved hold = read(file, now);
                if (hold != null && hold.reservation().isOver(now)) {
                    boolean _ = remove(file);
                }
            } catch (IllegalArgumentException e) {
                // Not ours to take away: people are told of it.
            }
        }
    }

    /// Takes a sign of life of `holder` for all of its reservations that are not over. Mostly there
    /// are none, or they have a younger sign, and nothing is opened.
    public void renew(Actor holder, Instant now) throws IOException {
        for (Path file : all()) {
            Optional<Stat> stat =
                    nameOf(file).startsWith(prefix(holder)) ? files.stat(file) : Optional.empty();
            if (stat.isPresent() && stat.get().modified().isBefore(now.minus(RENEWAL))) {
                renew(file, holder, now);
            }
        }
    }

    private void renew(Path file, Actor holder, Instant now) throws IOException {
        try {
            Hold.Reserved hold = read(file, now);
            if (hold != null && hold.holder().equals(holder) && !hold.reservation().isOver(now)) {
                files.touch(file, now);
            }
        } catch (IllegalArgumentException | NoSuchFileException e) {
            // There is nothing to renew.
        }
    }

    /// Whether there may be reservations: told without a look into the folder. A lock hides them.
    public boolean mayBeAny() {
        return files.exists(layout.reservations());
    }

    /// Whether `holder` may have reservations: told by names alone.
    public boolean mayHave(Actor holder) throws IOException {
        for (Path file : all()) {
            if (nameOf(file).startsWith(prefix(holder))) {
                return true;
            }
        }
        return false;
    }
}
