package dev.pheromone.lock;

import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.disk.Stat;
import dev.pheromone.disk.Trouble;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.Lock;
import dev.pheromone.guard.LockKind;
import dev.pheromone.guard.Pass;
import dev.pheromone.guard.Permission;
import dev.pheromone.guard.PolicyGuard;
import dev.pheromone.guard.Verdict;
import dev.pheromone.guard.WithheldException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/// The guard that looks for locks in the hive itself: the hive's own lock first, then the lists and
/// the outside guard. Whatever can't be found out is locked.
public final class LockFiles implements PolicyGuard {

    public static final String HIVE_LOCK = "ROTG-2-RESPECT-DO-NOT-ERASE.lock";

    /// How long a folder must have rested for its time of change to tell it from every later state:
    /// two changes within one tick of the file system's clock look alike.
    private static final Duration RESTED_MIN = Duration.ofSeconds(2);

    /// How often the locks may change while the outside guard is asked.
    private static final int LOOKS_MAX = 3;

    private final Disk disk;
    private final HiveLayout layout;
    private final InstantSource clock;
    private final @Nullable Gate gate;
    private final PathForms forms;
    private final OutsideGuard outside;
    private final Overrides overrides;

    /// The lists as they were read last. While nothing that was looked at has changed they are what
    /// they were, and that is seen by a look at each of these few (most hives have one).
    private volatile @Nullable Known known;

    /// @param guards the outside guards
    private record Known(List<LockLists.Watched> watched, LockView view, List<Path> guards) {}

    private LockFiles(
            Disk disk,
            HiveLayout layout,
            InstantSource clock,
            @Nullable Gate gate,
            Supplier<Set<ContentHash>> approvedGuards,
            Supplier<String> actor) {
        this.disk = disk;
        this.layout = layout;
        this.clock = clock;
        this.gate = gate;
        this.forms = new PathForms(disk, layout);
        this.outside = new OutsideGuard(disk, layout, approvedGuards, actor);
        this.overrides = new Overrides(disk, layout, forms);
    }

    /// The guard of the hive at `layout`.
    ///
    /// @param approvedGuards the outside guards that the person at this machine has approved
    /// @param actor whose access it is, as outside guards are told; empty if nobody knows
    public LockFiles(
            HiveLayout layout,
            Supplier<Set<ContentHash>> approvedGuards,
            InstantSource clock,
            Supplier<String> actor) {
        this(new LocalDisk(), layout, clock, Gate.of(layout), approvedGuards, actor);
    }

    /// The guard of the hive at `layout`, for an actor whom nobody knows.
    public LockFiles(
            HiveLayout layout, Supplier<Set<ContentHash>> approvedGuards, InstantSource clock) {
        this(layout, approvedGuards, clock, () -> "");
    }

    public LockFiles(HiveLayout layout) {
        this(layout, Set::of, InstantSource.system());
    }

    public LockFiles(Disk disk, HiveLayout layout) {
        this(disk, layout, InstantSource.system());
    }

    public LockFiles(Disk disk, HiveLayout layout, InstantSource clock) {
        this(disk, layout, clock, Gate.of(layout), Set::of, () -> "");
    }

    /// A guard that nobody who sets a lock waits for, and that leaves no trace: for a look at what
    /// may turn out to be no hive.
    public static LockFiles passing(Disk disk, HiveLayout layout) {
        return new LockFiles(disk, layout, InstantSource.system(), null, Set::of, () -> "");
    }

    public static Path hiveLock(HiveLayout layout) {
        return layout.hive().resolve(HIVE_LOCK);
    }

    @Override
    public Pass enter() {
        try {
            if (known == null) {
                // Backs off at once: whoever sets the lock waits for those who are inside. Who
                // knew the hive without it finds out inside, and backs off from then on.
                if (disk.exists(hiveLock(layout))) {
                    return new Inside(lockedView(), null);
                }
                if (disk.stat(layout.hive()).isEmpty()) {
                    return new Inside(LockView.of(List.of(), forms, disk), null);
                }
            }
            for (int looks = 0; looks < LOOKS_MAX; looks++) {
                Optional<Inside> inside = tryEnter();
                if (inside.isPresent()) {
                    return inside.get();
                }
            }
            return closed("the locks change all the time");
        } catch (IOException e) {
            return closed("the locks can't be read: " + Trouble.reason(e));
        }
    }

    /// Goes in through the gate and looks; empty if the outside guard had to be asked first, which
    /// takes too long to do it inside.
    private Optional<Inside> tryEnter() throws IOException {
        Gate.Visit visit = gate == null ? null : gate.enter();
        boolean stays = false;
        Known found;
        try {
            found = look();
            if (found.guards().isEmpty() || outside.hasAnswer(found.guards())) {
                LockView view =
                        found.guards().isEmpty()
                                ? found.view()
                                : found.view().withHive(outside.answer());
                stays = view.hive() == null;
                return Optional.of(new Inside(view, stays ? visit : null, found.guards()));
            }
        } finally {
            if (visit != null && !stays) {
                visit.leave();
            }
        }
        outside.ask(found.guards());
        if (gate != null && outside.answer() != null) {
            outside.noteRefusal(clock.instant());
        }
        return Optional.empty();
    }

    private Inside closed(String reason) {
        return new Inside(reason);
    }

    /// The view under the hive's own lock. Nothing in the hive is opened for it.
    private LockView lockedView() throws IOException {
        Verdict.Blocked verdict = hiveVerdict();
        Optional<Stat> lock = disk.stat(hiveLock(layout));
        Path lists = layout.embargo().resolve(lock.map(LockFiles::listsAside).orElse("lists"));
        if (disk.stat(lists).isPresent()) {
            return LockView.of(LockLists.read(disk, layout, lists).entries(), forms, disk)
                    .withHive(verdict);
        }
        return LockView.of(List.of(), forms, disk)
                .withHive(verdict)
                .withElsewhere(
                        new Verdict.Blocked(
                                verdict.lock(),
                                verdict.reason()
                                        + "; so are its lists, and what they say of other files is"
                                        + " unknown"));
    }

    /// The folder in the embargo where the lists are kept while the hive is under this very lock:
    /// the guard still has to know what they say of files outside the hive.
    static String listsAside(Stat lock) {
        return "lists-%s-%d".formatted(lock.inode(), lock.changed().toEpochMilli());
    }

    private Verdict.Blocked hiveVerdict() {
        return new Verdict.Blocked(
                new Lock(
                        LockKind.DO_NOT_ERASE,
                        HiveLayout.HIVE_FOLDER,
                        HiveLock.SOURCE,
                        layout.nameOf(hiveLock(layout))),
                "the whole hive is locked" + (reason().isEmpty() ? "" : ": " + reason()));
    }

    /// What somebody wrote into the lock, which never decides anything.
    String reason() {
        return new HiveLock(disk, layout).reason();
    }

    private Known look() throws IOException {
        Known before = known;
        if (before != null && isUnchanged(before.watched())) {
            return before;
        }
        known = null;
        // Before anything is read: whatever changes from here on is seen the next time.
        List<LockLists.Watched> watched = new ArrayList<>();
        watch(layout.hive(), watched);
        if (disk.stat(hiveLock(layout)).isPresent()) {
            return new Known(List.of(), lockedView(), List.of());
        }
        LockLists lists = LockLists.read(disk, layout, layout.hive());
        watched.addAll(lists.watched());
        List<Path> guards = new ArrayList<>();
        Path tools = OutsideGuard.folder(layout);
        watch(tools, watched);
        for (Path tool : disk.list(tools)) {
            if (OutsideGuard.isGuard(tool)) {
                guards.add(tool);
                watch(tool, watched);
            }
        }
        LockView view = LockView.of(lists.entries(), forms, disk);
        Optional<Stat> folder = disk.stat(tools);
        if (folder.isPresent() && !folder.get().isFolder()) {
            view = view.withHive(outside.unclear(folder.get()));
        }
        Known found = new Known(watched, view, guards.stream().sorted().toList());
        // A link to the hive stays as it is whatever happens to the hive.
        if (isRested(watched) && watched.getFirst().stat().isFolder()) {
            known = found;
        }
        return found;
    }

    private void watch(Path path, List<LockLists.Watched> watched) throws IOException {
        Optional<Stat> stat = disk.stat(path);
        if (stat.isPresent()) {
            watched.add(new LockLists.Watched(path, stat.get()));
        }
    }

    private boolean isUnchanged(List<LockLists.Watched> watched) throws IOException {
        for (LockLists.Watched each : watched) {
            if (!disk.stat(each.path()).equals(Optional.of(each.stat()))) {
                return false;
            }
        }
        return true;
    }

    /// Both times, because not every platform has `changed`.
    private boolean isRested(List<LockLists.Watched> watched) {
        Instant before = clock.instant().minus(RESTED_MIN);
        for (LockLists.Watched each : watched) {
            if (!each.stat().changed().isBefore(before)
                    || !each.stat().modified().isBefore(before)) {
                return false;
            }
        }
        return !watched.isEmpty();
    }

    /// What is locked now, besides the hive as a whole.
    public List<LockEntry> entries() {
        try (Inside inside = (Inside) enter()) {
            return inside.view == null ? List.of() : inside.view.inForce(clock.instant());
        }
    }

    /// Whether `path` may not even be looked at, as far as its name tells.
    public boolean isHidden(Path path) {
        try (Inside inside = (Inside) enter()) {
            return inside.view == null || inside.view.checkName(path, clock.instant()) != null;
        }
    }

    /// The verdict on writing `content` to `path`, which a person may have permitted in spite of a
    /// lock. It names an override that was meant for this and counts for nothing.
    public Verdict checkContent(Path path, ContentHash content) {
        try (Inside inside = (Inside) enter()) {
            if (!(inside.verdict(path, Access.WRITE, content)
                    instanceof Verdict.Blocked(Lock lock, String reason))) {
                return Verdict.ALLOWED;
            }
            if (inside.permission(path, content).isPresent()) {
                return Verdict.ALLOWED;
            }
            String unusable =
                    isOverridable(lock)
                            ? overrides.unusable(path, content, clock.instant(), inside)
                            : "";
            return new Verdict.Blocked(
                    lock, unusable.isEmpty() ? reason : reason + "; " + unusable);
        }
    }

    /// Why an override that was made for `path` does not let `content` be written there; empty if
    /// none was, or it does.
    public String unusableOverride(Path path, ContentHash content) {
        try (Pass inside = enter()) {
            return inside.permission(path, content).isPresent()
                    ? ""
                    : overrides.unusable(path, content, clock.instant(), inside);
        }
    }

    /// The overrides, and what each is worth now. Fails if a lock forbids looking at them.
    public List<GivenLeave> overrides() throws WithheldException {
        try (Inside inside = (Inside) enter()) {
            Path folder = Overrides.folder(layout);
            if (inside.check(folder, Access.READ) instanceof Verdict.Blocked blocked) {
                throw new WithheldException(folder, blocked);
            }
            return overrides.all(clock.instant(), inside);
        }
    }

    /// The leave by which `content` may be written to `path` now, although a lock forbids it.
    public Optional<Permission> permission(Path path, ContentHash content) {
        try (Pass inside = enter()) {
            return inside.permission(path, content);
        }
    }

    /// An outside guard's word is not ours to override, nor is a doubt.
    private static boolean isOverridable(Lock lock) {
        return !lock.source().equals(OutsideGuard.NAME)
                && !lock.source().equals(LockView.UNCERTAIN_SOURCE);
    }

    /// A piece of work, with the locks as they were when it began.
    private final class Inside implements Pass {

        /// Null if nothing could be found out.
        private final @Nullable LockView view;

        private final Gate.@Nullable Visit visit;
        private final String reason;

        /// The outside guards, which are asked about each room.
        private final List<Path> guards;

        Inside(LockView view, Gate.@Nullable Visit visit) {
            this(view, visit, List.of());
        }

        Inside(LockView view, Gate.@Nullable Visit visit, List<Path> guards) {
            this.view = view;
            this.visit = visit;
            this.reason = "";
            this.guards = guards;
        }

        /// Where nothing could be found out, for this reason.
        Inside(String reason) {
            this.view = null;
            this.visit = null;
            this.reason = reason;
            this.guards = List.of();
        }

        @Override
        public Verdict check(Path path, Access access) {
            return verdict(path, access, null);
        }

        @Override
        public boolean isFree() {
            return view != null && view.isFree() && guards.isEmpty();
        }

        /// Asked as for erasing: whoever writes a whole file replaces what is there.
        @Override
        public Optional<Permission> permission(Path path, ContentHash content) {
            return verdict(path, Access.ERASE, content) instanceof Verdict.Blocked(var lock, var _)
                            && isOverridable(lock)
                    ? overrides.find(path, content, clock.instant(), lock, this)
                    : Optional.empty();
        }

        private Verdict verdict(Path path, Access access, @Nullable ContentHash content) {
            if (view == null) {
                return LockView.uncertain(reason);
            }
            Verdict verdict = view.check(path, access, clock.instant(), content);
            if (guards.isEmpty() || verdict instanceof Verdict.Blocked) {
                return verdict;
            }
            Verdict.Blocked refusal = outside.about(guards, path, access);
            if (refusal == null) {
                return verdict;
            }
            if (gate != null) {
                outside.noteRefusal(clock.instant());
            }
            return refusal;
        }

        @Override
        public void close() {
            if (visit != null) {
                visit.leave();
            }
        }
    }
}
