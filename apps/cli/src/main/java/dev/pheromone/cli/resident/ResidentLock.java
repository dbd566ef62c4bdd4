package dev.pheromone.cli.resident;

import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.KernelLock;
import dev.pheromone.disk.LocalDisk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// What keeps a second resident process of one account out of a hive, whatever environment that has
/// and wherever its socket would be: the kernel's lock on a file in the hive. The file says which
/// process holds the lock.
final class ResidentLock implements Closeable {

    /// The kernel's lock belongs to the process: to open and close the file once more would drop
    /// it.
    private static final Set<Path> HELD = ConcurrentHashMap.newKeySet();

    private final Path file;
    private final KernelLock lock;

    private ResidentLock(Path file, KernelLock lock) {
        this.file = file;
        this.lock = lock;
    }

    /// Takes the lock; empty if another resident process has it.
    static Optional<ResidentLock> take(HiveLayout layout, int account) throws IOException {
        Path file = layout.residentLock(account);
        if (!HELD.add(file)) {
            return Optional.empty();
        }
        boolean isHeld = false;
        try {
            new LocalDisk().createFolder(layout.states());
            KernelLock lock = LocalDisk.openLock(file);
            try {
                isHeld = lock.tryAlone() && lock.isNamed();
                if (isHeld) {
                    lock.write(ProcessHandle.current().pid() + "\n");
                    return Optional.of(new ResidentLock(file, lock));
                }
                return Optional.empty();
            } catch (IOException e) {
                isHeld = false;
                throw e;
            } finally {
                if (!isHeld) {
                    lock.close();
                }
            }
        } finally {
            if (!isHeld) {
                HELD.remove(file);
            }
        }
    }

    /// The process that took the lock last, if it is still there.
    static Optional<ProcessHandle> holder(HiveLayout layout, int account) {
        Path file = layout.residentLock(account);
        if (HELD.contains(file)) {
            return Optional.of(ProcessHandle.current());
        }
        try {
            return ProcessHandle.of(Long.parseLong(ResidentAddress.text(file).strip()))
                    .filter(ProcessHandle::isAlive);
        } catch (IOException | NumberFormatException e) {
            return Optional.empty();
        }
    }

    /// Whether the file still has its name: otherwise the lock keeps nobody out.
    boolean isNamed() throws IOException {
        return lock.isNamed();
    }

    @Override
    public void close() throws IOException {
        try {
            lock.close();
        } finally {
            HELD.remove(file);
        }
    }
}
