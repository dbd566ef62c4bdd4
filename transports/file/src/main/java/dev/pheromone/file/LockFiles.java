package dev.pheromone.file;

import dev.pheromone.guard.Access;
import dev.pheromone.guard.Lock;
import dev.pheromone.guard.LockKind;
import dev.pheromone.guard.PolicyGuard;
import dev.pheromone.guard.Verdict;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

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

    private final Disk disk;
    private final Path hive;

    public LockFiles(HiveLayout layout) {
        this(new LocalDisk(), layout);
    }

    LockFiles(Disk disk, HiveLayout layout) {
        this.disk = disk;
        this.hive = layout.hive();
    }

    @Override
    public Verdict check(Path path, Access access) {
        if (disk.exists(hive.resolve(HIVE_LOCK))) {
            return blocked(LockKind.DO_NOT_ERASE, HIVE_LOCK, "the whole hive is locked");
        }
        try {
            for (int i = 0; i < LISTS.size(); i++) {
                Path folder = hive.resolve(LISTS.get(i));
                if (disk.exists(folder) && !disk.list(folder).isEmpty()) {
                    return blocked(
                            KINDS.get(i),
                            LISTS.get(i),
                            "this version of rsm can't read lock lists");
                }
            }
            Path tools = hive.resolve("tools");
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
        } catch (IOException e) {
            return blocked(LockKind.DNR, "?", "the locks can't be read: " + e.getMessage());
        }
    }

    private static Verdict blocked(LockKind kind, String source, String reason) {
        return new Verdict.Blocked(
                new Lock(kind, HiveLayout.HIVE_FOLDER, HiveLayout.HIVE_FOLDER + "/" + source),
                reason);
    }
}
