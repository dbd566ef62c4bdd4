package dev.pheromone.session.seat;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.GuardedFiles;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.disk.Publication;
import dev.pheromone.disk.Stat;
import dev.pheromone.disk.Tags;
import dev.pheromone.guard.PolicyGuard;
import dev.pheromone.lock.LockFiles;
import dev.pheromone.session.caller.AgentSession;
import dev.pheromone.session.caller.Pause;
import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The seats of a hive, a file for each. A file that can't be read is no seat; whatever is lost
/// here is noted anew by the session's next hook.
public final class Seats {

    private static final int FORMAT = 1;

    /// A memory of a thousand envelopes fits.
    private static final int FILE_BYTES_MAX = 1 << 20;

    /// More sessions than these are not looked at.
    private static final int SEATS_MAX = 1_000;

    private static final String SUFFIX = ".json";
    private static final String LOCK_SUFFIX = ".lock";

    /// Marks a seat that waits for a sign that its last prompt was seen, for a look that opens no
    /// file.
    private static final String ASKED_SUFFIX = ".asked";

    private static final String DOMAINS = ".domains.lock";

    /// How long a seat is kept after its session: who asks later hears that it is gone.
    private static final Duration KEPT = Duration.ofDays(1);

    /// A sign of life is noted at most so often.
    static final Duration BETWEEN_SIGNS = Duration.ofSeconds(5);

    private static final Duration LOCK_PAUSE = Duration.ofMillis(5);
    private static final int TAG_LENGTH = 8;

    private final Disk files;
    private final HiveLayout layout;

    /// A seat, and what its bell remembers.
    record Entry(Seat seat, Memory memory) {}

    public Seats(Disk files, HiveLayout layout) {
        this.files = files;
        this.layout = layout;
    }

    /// The seats of the hive at `layout`, behind `guard`.
    public static Seats of(HiveLayout layout, PolicyGuard guard) {
        return new Seats(new GuardedFiles(new LocalDisk(), guard), layout);
    }

    /// The same for whoever finds out who asks: there is nobody yet whose overrides of locks count.
    public static Seats ofNobody(HiveLayout layout, InstantSource clock) {
        return of(layout, new LockFiles(layout, Set::of, clock));
    }

    /// All seats that can be read, the one that showed a sign of life last first.
    public List<Seat> all() throws IOException {
        List<Seat> seats = new ArrayList<>();
        for (Entry entry : entries()) {
            seats.add(entry.seat());
        }
        seats.sort(Comparator.comparing(Seat::lastSeenAt).reversed());
        return seats;
    }

    /// The seats of `actor`, as [#all]: more than one only if a person named several alike.
    public List<Seat> of(Actor actor) throws IOException {
        return all().stream().filter(seat -> seat.actor().equals(actor)).toList();
    }

    /// Whether every session of `actor` that is known here is gone; false if none is known.
    public boolean isGone(Actor actor) throws IOException {
        List<Seat> seats = of(actor);
        return !seats.isEmpty() && seats.stream().allMatch(Seat::isGone);
    }

    /// The seat in whose program the process `pid` was started; empty if there is none. Of several
    /// the one whose process is the nearest.
    public Optional<Seat> ofAncestor(long pid) throws IOException {
        Seat nearest = null;
        for (Seat seat : all()) {
            HarnessProcess process = seat.process();
            if (process != null
                    && seat.turn() != Seat.Turn.OVER
                    && process.isAbove(pid)
                    && (nearest == null
                            || nearest.process() == null
                            || nearest.process().isAbove(process.pid()))) {
                nearest = nearest != null && isSame(nearest, process) ? nearest : seat;
            }
        }
        return Optional.ofNullable(nearest);
    }

    /// Several sessions of one program follow each other in one process: the last one counts.
    private static boolean isSame(Seat seat, HarnessProcess process) {
        return seat.process() != null && seat.process().pid() == process.pid();
    }

    /// Notes that a session took mail from `inbox`: it is told of other mail there from now on.
    public void noteServing(AgentSession session, Domain inbox) throws IOException {
        String id = session.id();
        if (id == null) {
            return;
        }
        String name = Seat.nameOf(session.harness(), id);
        if (!files.exists(file(name))) {
            return;
        }
        Optional<Closeable> lock = lock(name, Duration.ofMillis(50));
        if (lock.isEmpty()) {
            return;
        }
        try (Closeable _ = lock.get()) {
            Entry entry = read(name).orElse(null);
            if (entry == null || entry.seat().hears(inbox)) {
                return;
            }
            List<Domain> domains = new ArrayList<>(entry.seat().serves());
            domains.add(inbox);
            write(new Entry(entry.seat().serving(domains), entry.memory()));
        }
    }

    /// Notes that a session gave a sign of life in another way than by a hook; does nothing where
    /// no hook has noted the session.
    public void noteLife(AgentSession session, Instant now) throws IOException {
        String id = session.id();
        if (id == null) {
            return;
        }
        Path file = file(Seat.nameOf(session.harness(), id));
        Optional<Stat> stat = files.stat(file);
        if (stat.isPresent() && stat.get().modified().plus(BETWEEN_SIGNS).isBefore(now)) {
            files.touch(file, now);
        }
    }

    /// Whether the last prompt of this session waits for a sign that a model saw it.
    boolean isAsked(String name) {
        return files.exists(layout.seats().resolve(name + ASKED_SUFFIX));
    }

    /// Keeps other hooks of a seat out; empty if one of them is at work for longer than `wait`.
    Optional<Closeable> lock(String name, Duration wait) throws IOException {
        return lockOn(layout.seats().resolve(name + LOCK_SUFFIX), wait);
    }

    /// Keeps other seats from ringing for mail of domains.
    Optional<Closeable> lockDomains() throws IOException {
        return lockOn(layout.seats().resolve(DOMAINS), Duration.ZERO);
    }

    private Optional<Closeable> lockOn(Path file, Duration wait) throws IOException {
        for (Duration left = wait; ; left = left.minus(LOCK_PAUSE)) {
            Optional<Closeable> lock = files.in(layout.seats(), () -> files.tryLock(file));
            if (lock.isPresent() || left.isNegative() || left.isZero()) {
                return lock;
            }
            Pause.of(LOCK_PAUSE);
        }
    }

    /// The seat of that name; empty if there is none, or none that can be read.
    Optional<Entry> read(String name) throws IOException {
        Path file = file(name);
        Optional<Disk.Peek> peek;
        try {
            peek = files.peek(file, FILE_BYTES_MAX, byte[]::new);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
        if (peek.isEmpty() || !peek.get().stat().isFile()) {
            return Optional.empty();
        }
        byte[] bytes = peek.get().bytes();
        int length = peek.get().length();
        return parse(
                length == bytes.length ? bytes : Arrays.copyOf(bytes, length),
                peek.get().stat().modified());
    }

    private static Optional<Entry> parse(byte[] bytes, Instant modified) {
        try {
            if (Json.parse(bytes) instanceof Json.Obj json && json.number("format") == FORMAT) {
                return Optional.of(
                        new Entry(
                                Seat.parse(json.object("seat"), modified),
                                Memory.parse(json.object("memory"))));
            }
        } catch (MalformedJsonException | IllegalArgumentException | StackOverflowError e) {
            // Half a file after a power cut, or somebody else's: the session notes itself anew.
        }
        return Optional.empty();
    }

    List<Entry> entries() throws IOException {
        List<Entry> entries = new ArrayList<>();
        for (Path file : files.listIfFew(layout.seats(), 4 * SEATS_MAX).orElse(List.of())) {
            String name = String.valueOf(file.getFileName());
            if (name.endsWith(SUFFIX) && !name.startsWith(".") && entries.size() < SEATS_MAX) {
                Entry entry = read(name.substring(0, name.length() - SUFFIX.length())).orElse(null);
                if (entry != null && name.equals(entry.seat().name() + SUFFIX)) {
                    entries.add(entry);
                }
            }
        }
        return entries;
    }

    /// Puts a seat in the place of what was kept of it. A reader sees the old one or the new one.
    void write(Entry entry) throws IOException {
        String name = entry.seat().name();
        byte[] bytes =
                Json.obj()
                        .put("format", FORMAT)
                        .put("seat", entry.seat().json())
                        .put("memory", entry.memory().json())
                        .toString()
                        .getBytes(StandardCharsets.UTF_8);
        Path draft = Publication.draft(layout.seats(), "." + name + ".");
        try {
            // Not forced: what a power cut takes is noted anew.
            try (Disk.Appender appender = files.in(layout.seats(), () -> files.openAppend(draft))) {
                appender.write(ByteBuffer.wrap(bytes));
            }
            files.rename(draft, file(name));
        } catch (IOException e) {
            removeIfThere(draft);
            throw e;
        }
        Path asked = layout.seats().resolve(name + ASKED_SUFFIX);
        if (entry.memory().awaitsTool()) {
            files.openAppend(asked).close();
        } else if (files.exists(asked)) {
            removeIfThere(asked);
        }
    }

    /// Notes a sign of life that changes nothing else.
    void touch(Seat seat, Instant now) throws IOException {
        files.touch(file(seat.name()), now);
    }

    /// Wakes the sessions that watch the hive's folders.
    void wake(Seat seat) throws IOException {
        Path file = layout.wakes().resolve(seat.name() + "-" + Tags.random(TAG_LENGTH));
        files.in(layout.wakes(), () -> files.openAppend(file)).close();
    }

    /// Makes the folder that sessions watch; one that is not there can't be watched.
    void makeWakes() throws IOException {
        if (!files.exists(layout.wakes())) {
            files.createFolder(layout.wakes());
        }
    }

    /// Removes what was kept of sessions that have been gone for a day, and calls of long ago.
    void tidy(Instant now) throws IOException {
        Instant oldest = now.minus(KEPT);
        for (Entry entry : entries()) {
            if (entry.seat().lastSeenAt().isBefore(oldest) && entry.seat().isGone()) {
                String name = entry.seat().name();
                removeIfThere(file(name));
                removeIfThere(layout.seats().resolve(name + ASKED_SUFFIX));
                removeIfThere(layout.seats().resolve(name + LOCK_SUFFIX));
            }
        }
        for (Path call : files.listIfFew(layout.wakes(), SEATS_MAX).orElse(List.of())) {
            if (files.stat(call).filter(stat -> stat.modified().isBefore(oldest)).isPresent()) {
                removeIfThere(call);
            }
        }
    }

    private void removeIfThere(Path file) {
        try {
            files.remove(file);
        } catch (IOException e) {
            // There is none, or nobody may: it is disposable.
        }
    }

    private Path file(String name) {
        return layout.seats().resolve(name + SUFFIX);
    }
}
