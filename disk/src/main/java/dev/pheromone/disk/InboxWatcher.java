package dev.pheromone.disk;

import dev.pheromone.guard.Access;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/// The kernel's notices of what comes and goes in one inbox folder.
///
/// A hint, never the truth: notices overflow, and some platforms poll. Whoever uses it lists the
/// folder from time to time, and whenever `isIncomplete`.
public final class InboxWatcher implements Closeable {

    /// What was noticed since the last time.
    ///
    /// @param names what came or changed
    /// @param gone what went, and has not come again
    /// @param isIncomplete whether more happened than that
    public record Notices(Set<Path> names, Set<Path> gone, boolean isIncomplete) {

        static final Notices NONE = new Notices(Set.of(), Set.of(), false);
        static final Notices UNKNOWN = new Notices(Set.of(), Set.of(), true);

        boolean isEmpty() {
            return names.isEmpty() && gone.isEmpty() && !isIncomplete;
        }
    }

    /// How long a lock may be there before the watch ends.
    private static final Duration LOCK_UNNOTICED_MAX = Duration.ofSeconds(1);

    private final Disk files;
    private final Path folder;
    private final WatchService service;
    private @Nullable WatchKey key;

    /// @param files asked for leave, since to watch a folder is to read it
    public InboxWatcher(Disk files, Path folder) throws IOException {
        this.files = files;
        this.folder = folder;
        this.service = folder.getFileSystem().newWatchService();
        register();
    }

    private synchronized void register() {
        try (Disk.Operation _ = files.begin()) {
            files.require(folder, Access.READ);
            key =
                    folder.register(
                            service,
                            StandardWatchEventKinds.ENTRY_CREATE,
                            StandardWatchEventKinds.ENTRY_DELETE,
                            // A slow writer may fill the file long after it made it.
                            StandardWatchEventKinds.ENTRY_MODIFY);
        } catch (IOException e) {
            // No such folder, a lock on it, or no watch to be had: the caller's scans go on, and
            // the next call
            // tries again.
            key = null;
        }
    }

    /// Whether the kernel tells us anything now.
    public synchronized boolean isWatching() {
        return key != null;
    }

    /// Ends the watch if a lock is on the folder; it begins again when that is lifted.
    private synchronized boolean leavesLocked() {
        WatchKey watching = key;
        if (watching == null) {
            return false;
        }
        try {
            files.require(folder, Access.READ);
            return false;
        } catch (IOException e) {
            watching.cancel();
            key = null;
            return true;
        }
    }

    /// What happened since the last call; never waits.
    public Notices poll() {
        try {
            return leavesLocked() ? Notices.UNKNOWN : collect(service.poll());
        } catch (ClosedWatchServiceException e) {
            return Notices.UNKNOWN;
        }
    }

    /// Waits until something happens or `timeout` is over.
    public Notices await(Duration timeout) throws InterruptedException {
        long end = System.nanoTime() + timeout.toNanos();
        try {
            while (true) {
                long left = Math.max(0, end - System.nanoTime());
                boolean isLast = left <= LOCK_UNNOTICED_MAX.toNanos();
                WatchKey signalled =
                        service.poll(
                                isLast ? left : LOCK_UNNOTICED_MAX.toNanos(), TimeUnit.NANOSECONDS);
                if (leavesLocked()) {
                    return Notices.UNKNOWN;
                }
                Notices notices = collect(signalled);
                if (isLast || (isWatching() && !notices.isEmpty())) {
                    return notices;
                }
            }
        } catch (ClosedWatchServiceException e) {
            if (Thread.interrupted()) {
                throw new InterruptedException("the watch is over");
            }
            return Notices.UNKNOWN;
        }
    }

    private synchronized Notices collect(@Nullable WatchKey signalled) {
        if (key == null) {
            register();
            // Whatever came before the watch began was not noticed.
            return Notices.UNKNOWN;
        }
        if (signalled == null) {
            return Notices.NONE;
        }
        Set<Path> names = new LinkedHashSet<>();
        Set<Path> gone = new LinkedHashSet<>();
        boolean incomplete = false;
        for (WatchEvent<?> event : signalled.pollEvents()) {
            if (event.context() instanceof Path name) {
                Path file = folder.resolve(name);
                boolean went = event.kind().equals(StandardWatchEventKinds.ENTRY_DELETE);
                (went ? names : gone).remove(file);
                (went ? gone : names).add(file);
            } else {
                incomplete = true;
            }
        }
        if (!signalled.reset() && signalled.equals(key)) {
            // The folder was removed; it may come back.
            key = null;
            incomplete = true;
        }
        return new Notices(names, gone, incomplete);
    }

    @Override
    public void close() throws IOException {
        service.close();
    }
}
