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

/// The turn of one process to take a pheromone: it reads the log and writes what it took while
/// nobody else does, so that two never take the same.
///
/// A lock of the kernel's: it leaves nothing behind when its holder dies, and what was not written
/// then was not taken.
public final class ForageTurn {

    private final Disk files;
    private final Path folder;

    /// The turn of the hive at `layout`, behind `guard`.
    public ForageTurn(HiveLayout layout, PolicyGuard guard) {
        this.files = new GuardedFiles(new LocalDisk(), guard);
        this.folder = layout.hive().resolve("state");
    }

    /// Begins the turn, which lasts until it is closed; empty while another has it.
    public Optional<Closeable> tryBegin() throws IOException {
        files.createFolder(folder);
        return files.tryLock(folder.resolve(".forage.lock"));
    }
}
