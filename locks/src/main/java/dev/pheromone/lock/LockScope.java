package dev.pheromone.lock;

import dev.pheromone.disk.HiveLayout;
import dev.pheromone.guard.LockKind;

import java.util.List;
import java.util.Set;

/// What a lock covers, and what that means for whoever looks after it.
///
/// @param lock `hive`, or the kind of an entry in a list
/// @param pattern relative to the hive root
public record LockScope(String lock, String pattern) {

    private static final String HIVE = "hive";
    private static final String GIT_FOLDER = ".git";

    /// What comes and goes as people set, lift and override locks.
    private static final Set<String> OVERRIDING = Set.of("overrides", LockFiles.HIVE_LOCK);

    static LockScope ofHive() {
        return new LockScope(HIVE, HiveLayout.HIVE_FOLDER);
    }

    static LockScope of(LockKind kind, String pattern) {
        return new LockScope(kind.toString(), pattern);
    }

    boolean isHive() {
        return lock.equals(HIVE);
    }

    /// Whether the content may be read while the lock is in force.
    public boolean isReadable() {
        return !isHive() && !lock.equals(LockKind.DNR.toString());
    }

    /// Whether new files, and more at the end of files, are allowed.
    boolean allowsMore() {
        return lock.equals(LockKind.DO_NOT_ERASE.toString());
    }

    /// Whether something else may be in it than what the user keeps in the hive root.
    boolean mayCoverHive() {
        LockPattern parsed = LockPattern.parse(pattern);
        List<String> hive = List.of(HiveLayout.HIVE_FOLDER);
        return parsed.covers(hive) || parsed.mayCoverBelow(hive);
    }

    /// Whether the file of this name, relative to the root, is none of ours to look after: the
    /// mirror and the locks are the guard's own affair, and what git keeps is large.
    boolean leavesOut(List<String> names) {
        String first = names.getFirst();
        if (first.equals(HiveLayout.MIRROR_FOLDER)) {
            return true;
        }
        if (first.equals(GIT_FOLDER)) {
            return !pattern.startsWith(GIT_FOLDER);
        }
        if (names.size() < 2 || !first.equals(HiveLayout.HIVE_FOLDER)) {
            return false;
        }
        String second = names.get(1);
        return OVERRIDING.contains(second) || (!isHive() && LockLists.isFolder(second));
    }
}
