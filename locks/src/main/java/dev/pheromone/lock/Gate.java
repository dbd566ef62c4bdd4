package dev.pheromone.lock;

import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.KernelLock;
import dev.pheromone.disk.LocalDisk;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/// Where whoever touches hive files stays for as long as that takes, and whoever sets a lock waits
/// until all have left: the kernel's lock on one file, shared by the former.
///
/// Looking for a lock and then acting is not enough, because the lock may come in between; with the
/// gate, setting one returns only when nobody is in between any more.
public final class Gate {

    /// The name of its file, in the mirror's folder.
    public static final String NAME = "gate";

    /// How long an entrant waits for somebody who has the gate alone, and who keeps it for
    /// milliseconds.
    private static final Duration ENTER_MAX = Duration.ofSeconds(5);

    private static final Duration PAUSE = Duration.ofMillis(1);

    /// One gate a file in a process: the kernel does not tell a process's locks apart.
    private static final Map<Path, Gate> GATES = new ConcurrentHashMap<>();

    private final HiveLayout layout;
    private final Path file;
    private @Nullable KernelLock kernel;
    private int inside;

    private Gate(HiveLayout layout) {
        this.layout = layout;
        this.file = layout.embargo().resolve(NAME);
    }

    /// The gate of the hive at `layout`.
    static Gate of(HiveLayout layout) {
        return GATES.computeIfAbsent(layout.embargo(), mirror -> new Gate(layout));
    }

    /// Goes in. Every return must be followed by one `leave`.
    synchronized void enter() throws IOException {
        if (inside == 0) {
            take(KernelLock::tryShared, System.nanoTime() + ENTER_MAX.toNanos());
        }
        inside++;
    }

    synchronized void leave() {
        if (--inside == 0) {
            release();
            notifyAll();
        }
    }

    /// Returns when everybody has left who was inside at the time of the call; false if somebody
    /// still is after `patience`. Nobody may come in before that who does not see what the caller
    /// did first.
    boolean awaitEmpty(Duration patience) throws IOException, InterruptedException {
        return alone(patience, () -> {});
    }

    /// What is done while nobody else is inside. It must not go in itself, and be short: everybody
    /// waits for it.
    interface Work {
        void run() throws IOException;
    }

    /// As [#awaitEmpty], and does `work` before anybody comes in again; false if somebody is inside
    /// for longer than `patience`, and then nothing was done.
    synchronized boolean alone(Duration patience, Work work)
            throws IOException, InterruptedException {
        long end = System.nanoTime() + patience.toNanos();
        while (inside > 0) {
            long left = Duration.ofNanos(end - System.nanoTime()).toMillis();
            if (left <= 0) {
                return false;
            }
            wait(left);
        }
        try {
            take(KernelLock::tryAlone, end);
        } catch (GateHeldException e) {
            return false;
        }
        try {
            work.run();
        } finally {
            release();
        }
        return true;
    }

    private interface Attempt {
        boolean of(KernelLock lock) throws IOException;
    }

    private void take(Attempt attempt, long endNanos) throws IOException {
        while (true) {
            KernelLock lock = opened();
            if (attempt.of(lock)) {
                if (lock.isNamed()) {
                    return;
                }
                reopen();
            } else if (System.nanoTime() > endNanos) {
                throw new GateHeldException(file + ": held by another process for too long");
            } else {
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        }
    }

    private KernelLock opened() throws IOException {
        KernelLock open = kernel;
        if (open == null) {
            EmbargoFolder.make(new LocalDisk(), layout);
            open = LocalDisk.openLock(file);
            kernel = open;
        }
        return open;
    }

    private void reopen() throws IOException {
        KernelLock old = kernel;
        kernel = null;
        if (old != null) {
            old.close();
        }
    }

    private void release() {
        KernelLock held = kernel;
        try {
            if (held != null) {
                held.release();
            }
        } catch (IOException e) {
            // Closing lets go of it, too.
            try {
                reopen();
            } catch (IOException alsoFailed) {
                e.addSuppressed(alsoFailed);
            }
        }
    }

    /// Somebody else has the gate.
    private static final class GateHeldException extends IOException {
        private static final long serialVersionUID = 1;

        GateHeldException(String message) {
            super(message);
        }
    }
}
