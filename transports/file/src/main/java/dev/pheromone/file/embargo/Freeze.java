package dev.pheromone.file.embargo;

import dev.pheromone.disk.Disk;
import dev.pheromone.disk.GuardedFiles;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.disk.Stat;
import dev.pheromone.guard.Lock;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.lock.HiveLock;
import dev.pheromone.lock.LockFiles;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/// A hive that its own lock stops as a whole: who set the lock, since when, why, and what waits in
/// the embargo for its end. Nothing in the hive but the lock itself is read to find that out.
///
/// @param reason as the lock says it; empty if it gives none
/// @param by who set the lock, as the lock says; empty if it was made by hand
/// @param declaredIn the file that is the lock, relative to the hive root
/// @param mail how many messages wait in the embargo for a person to release them
/// @param outcomes how many outcomes of claims wait there, to be applied when the lock is lifted
public record Freeze(
        String reason, String by, Instant since, String declaredIn, int mail, int outcomes) {

    /// The freeze of the hive at `layout`; empty if the hive's own lock is not there.
    public static Optional<Freeze> of(HiveLayout layout, LockFiles guard) throws IOException {
        Disk disk = new LocalDisk();
        Path lock = LockFiles.hiveLock(layout);
        Optional<Stat> stat = disk.stat(lock);
        if (stat.isEmpty()) {
            return Optional.empty();
        }
        GuardedFiles files = new GuardedFiles(disk, guard);
        int mail = 0;
        int outcomes = 0;
        try {
            mail = new EmbargoInboxes(files, layout).count();
            outcomes = new KeptOutcomes(files, layout).count();
        } catch (WithheldException e) {
            // Another lock hides the embargo, so nothing of it is counted.
        }
        HiveLock text = new HiveLock(disk, layout);
        return Optional.of(
                new Freeze(
                        text.reason(),
                        text.by(),
                        stat.get().modified(),
                        layout.nameOf(lock),
                        mail,
                        outcomes));
    }

    /// Whether `lock` is a hive's own.
    public static boolean isFreeze(Lock lock) {
        return lock.source().equals(HiveLock.SOURCE);
    }
}
