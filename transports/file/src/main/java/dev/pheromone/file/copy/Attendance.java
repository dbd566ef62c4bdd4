package dev.pheromone.file.copy;

import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.Tags;
import dev.pheromone.life.ClaimToken;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/// How a process shows that it is alive, and how others find out that it is not: it holds the
/// kernel's lock on a file of its own, which the kernel lets go of when the process ends, however
/// it ends.
public final class Attendance implements Closeable {

    private static final int NAME_LENGTH = 8;

    private final Disk files;
    private final HiveLayout layout;
    private @Nullable String name;
    private @Nullable Closeable lock;

    public Attendance(Disk files, HiveLayout layout) {
        this.files = files;
        this.layout = layout;
    }

    /// This process's name among the attendants; its lock is taken with the first call.
    public synchronized String name() throws IOException {
        while (name == null) {
            files.createFolder(layout.attendants());
            String candidate = ClaimToken.ATTENDED + Tags.random(NAME_LENGTH);
            Path file = layout.attendants().resolve(candidate);
            Optional<Closeable> taken = files.tryLock(file);
            if (taken.isPresent() && files.exists(file)) {
                name = candidate;
                lock = taken.get();
            } else if (taken.isPresent()) {
                // Recovery met the file before it was locked, and took it for one left behind.
                taken.get().close();
            }
        }
        return name;
    }

    /// Whether the process of this name has surely ended. If its file is lost nobody knows, and the
    /// lease decides.
    public boolean hasEnded(String attendant) throws IOException {
        synchronized (this) {
            if (attendant.equals(name)) {
                return false;
            }
        }
        Path file = layout.attendants().resolve(attendant);
        if (!files.exists(file)) {
            return false;
        }
        Optional<Closeable> taken = files.tryLock(file);
        if (taken.isPresent()) {
            taken.get().close();
        }
        return taken.isPresent();
    }

    /// Removes the file of a process that has ended. Under its lock, so that a process which is
    /// just taking that name finds out.
    public void remove(String attendant) throws IOException {
        Path file = layout.attendants().resolve(attendant);
        Optional<Closeable> taken = files.tryLock(file);
        if (taken.isPresent()) {
            try (Closeable _ = taken.get()) {
                files.remove(file);
            }
        }
    }

    /// Lets go of the lock, which ends the claims that are still open. The file stays, because it
    /// is what tells others so; recovery removes it.
    @Override
    public synchronized void close() throws IOException {
        if (lock != null) {
            lock.close();
            lock = null;
            name = null;
        }
    }
}
