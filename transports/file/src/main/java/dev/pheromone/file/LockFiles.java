package dev.pheromone.file;

import dev.pheromone.guard.Access;
import dev.pheromone.guard.Lock;
import dev.pheromone.guard.LockKind;
import dev.pheromone.guard.PolicyGuard;
import dev.pheromone.guard.Verdict;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The guard that looks for locks in the hive itself.
///
/// It does not read lists of patterns or run outside guards yet, so wherever one exists it blocks
/// the whole hive: what can't be judged is locked.
public final class LockFiles implements PolicyGuard {

    static final String HIVE_LOCK = "ROTG-2-RESPECT-DO-NOT-ERASE.lock";

    private static final List<LockKind> KINDS =
            List.of(LockKind.DNR, LockKind.DO_NOT_ALTER, LockKind.DO_NOT_ERASE);
    private static final List<String> LISTS =
            List.of("do-not-read", "do-not-alter", "do-not-erase");

    private static final String TOOLS = "tools";

    /// How long a folder must have rested for its time of change to tell it from every later state:
    /// two changes within one tick of the file system's clock look alike.
    private static final Duration RESTED_MIN = Duration.ofSeconds(2);

    private final Disk disk;
    private final Path hive;
    private final InstantSource clock;

    /// The folders in which a lock would appear, as they were when none was there. While none of
    /// them has changed, none is there still, and that is seen by a look at each of these few (most
    /// hives have one) instead of at every name that could be a lock.
    private volatile @Nullable List<Watched> free;

    private record Watched(Path folder, Stat stat) {}

    public LockFiles(HiveLayout layout) {
        this(new LocalDisk(), layout);
    }

    LockFiles(Disk disk, HiveLayout layout) {
        this(disk, layout, InstantSource.system());
    }

    LockFiles(Disk disk, HiveLayout layout, InstantSource clock) {
        this.disk = disk;
        this.hive = layout.hive();
        this.clock = clock;
    }

    @Override
    public Verdict check(Path path, Access access) {
        try {
            List<Watched> known = free;
            return known != null && isUnchanged(known) ? Verdict.ALLOWED : look();
        } catch (IOException e) {
            return blocked(LockKind.DNR, "?", "the locks can't be read: " + e.getMessage());
        }
    }

    /// Locks here are the whole hive's: one look is as good for many paths as for one.
    @Override
    public Verdict checkAll(List<Path> paths, Access access) {
        return check(hive, access);
    }

    private boolean isUnchanged(List<Watched> known) throws IOException {
        for (Watched watched : known) {
            if (!disk.stat(watched.folder()).equals(Optional.of(watched.stat()))) {
                return false;
            }
        }
        return true;
    }

    private Verdict look() throws IOException {
        free = null;
        // Before the names are looked for: whatever changes from here on is seen the next time.
        List<Watched> rested = restedFolders(clock.instant().minus(RESTED_MIN));
        Verdict verdict = judge();
        if (verdict instanceof Verdict.Allowed && !rested.isEmpty()) {
            free = rested;
        }
        return verdict;
    }

    /// The folders that hold locks, the hive's own first; none if one of them changed after
    /// `before`.
    private List<Watched> restedFolders(Instant before) throws IOException {
        List<Path> folders = new ArrayList<>();
        folders.add(hive);
        for (String list : LISTS) {
            folders.add(hive.resolve(list));
        }
        folders.add(hive.resolve(TOOLS));
        List<Watched> rested = new ArrayList<>();
        for (Path folder : folders) {
            Optional<Stat> stat = disk.stat(folder);
            if (stat.isPresent()) {
                if (!isRested(stat.get(), before)) {
                    return List.of();
                }
                rested.add(new Watched(folder, stat.get()));
            }
        }
        return List.copyOf(rested);
    }

    /// Both times, because not every platform has `changed`.
    private static boolean isRested(Stat stat, Instant before) {
        return stat.changed().isBefore(before) && stat.modified().isBefore(before);
    }

    private Verdict judge() throws IOException {
        if (disk.exists(hive.resolve(HIVE_LOCK))) {
            return blocked(LockKind.DO_NOT_ERASE, HIVE_LOCK, "the whole hive is locked");
        }
        for (int i = 0; i < LISTS.size(); i++) {
            Path folder = hive.resolve(LISTS.get(i));
            if (disk.exists(folder) && !disk.list(folder).isEmpty()) {
                return blocked(
                        KINDS.get(i), LISTS.get(i), "this version of rsm can't read lock lists");
            }
        }
        Path tools = hive.resolve(TOOLS);
        if (disk.exists(tools)) {
            for (Path tool : disk.list(tools)) {
                if (String.valueOf(tool.getFileName()).startsWith("policy_guard.")) {
                    return blocked(
                            LockKind.DO_NOT_ALTER,
                            "tools/policy_guard",
                            "the outside guard is not approved");
                }
            }
        }
        return Verdict.ALLOWED;
    }

    private static Verdict blocked(LockKind kind, String source, String reason) {
        return new Verdict.Blocked(
                new Lock(kind, HiveLayout.HIVE_FOLDER, HiveLayout.HIVE_FOLDER + "/" + source),
                reason);
    }
}
