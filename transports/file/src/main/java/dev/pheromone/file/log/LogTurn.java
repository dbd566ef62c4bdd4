package dev.pheromone.file.log;

import dev.pheromone.disk.Disk;
import dev.pheromone.disk.GuardedFiles;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.guard.PolicyGuard;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/// The turn of one process to read the log and to write what is missing in it, while nobody else
/// does: so two never take the same pheromone, or tell the same of a question.
///
/// A lock of the kernel's: it leaves nothing behind when its holder dies, and what was not written
/// then was not said.
public final class LogTurn {

    private final Disk files;
    private final Path folder;
    private final String lock;

    private LogTurn(HiveLayout layout, PolicyGuard guard, String lock) {
        this.files = new GuardedFiles(new LocalDisk(), guard);
        this.folder = layout.states();
        this.lock = lock;
    }

    /// The turn to take a pheromone of the hive at `layout`, behind `guard`.
    public static LogTurn foraging(HiveLayout layout, PolicyGuard guard) {
        return new LogTurn(layout, guard, ".forage.lock");
    }

    /// The turn to tell what became of a question.
    public static LogTurn onQuestions(HiveLayout layout, PolicyGuard guard) {
        return new LogTurn(layout, guard, ".questions.lock");
    }

    /// Begins the turn, which lasts until it is closed; empty while another has it.
    public Optional<Closeable> tryBegin() throws IOException {
        files.createFolder(folder);
        return files.tryLock(folder.resolve(lock));
    }
}
