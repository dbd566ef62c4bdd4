package dev.pheromone.disk;

import dev.pheromone.guard.WithheldException;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/// Shares forces to the disk among the writes to one file: who waits for the disk waits for a force
/// that covers all that was written before it began, and who does not is covered within 20 ms or 64
/// writes.
///
/// Writes are numbered from 1, in their order. A force that fails is never tried again, because the
/// kernel may have dropped what it could not write: the writes that it should have covered are
/// reported as failed, each to its waiter. A force that a lock withholds has not failed: it is made
/// up for once the lock is gone.
public final class GroupCommit implements Closeable {

    static final long DELAY_MAX_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    static final int WRITES_MAX = 64;

    /// The least time from one force by the timer to its next: a flood of writes must not become a
    /// flood of forces, each of which slows the writes beside it.
    private static final long REST_MIN_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /// How often the timer looks whether a lock still withholds its force.
    private static final long LOCKED_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /// Forces everything written so far.
    public interface Force {
        /// Forces it.
        ///
        /// @param forOthers whether it is done for writers that look after nothing themselves
        void run(boolean forOthers) throws IOException;
    }

    private final Force force;
    private final ReentrantLock forcing = new ReentrantLock();
    private volatile long written;
    private volatile long settled;
    private volatile boolean closed;

    // The writes that a force failed for; guarded by `forcing`.
    private long failedFrom = Long.MAX_VALUE;
    private long failedThrough;
    private @Nullable IOException failure;

    private volatile @Nullable Thread timer;

    /// Whether the timer will look at what waits without being woken: to wake it costs as much as a
    /// small write.
    private volatile boolean awake;

    public GroupCommit(Force force) {
        this.force = force;
    }

    /// Counts one more write, and returns its number. The caller lets one thread in at a time.
    @SuppressWarnings("NonAtomicVolatileUpdate")
    public long wrote() {
        return ++written;
    }

    /// Returns when the write of this number is on the disk.
    public void await(long number) throws IOException {
        forcing.lock();
        try {
            if (settled < number) {
                forceAll(false);
                if (settled < written) {
                    // Written while this force ran: their `soon` may have taken them for the rest
                    // of an older group.
                    wakeTimer();
                }
            }
            if (failure != null && failedFrom <= number && number <= failedThrough) {
                throw new IOException(
                        "written, but whether it is on the disk is unknown: "
                                + failure.getMessage(),
                        failure);
            }
        } finally {
            forcing.unlock();
        }
    }

    /// Sees to it that the write of this number reaches the disk soon.
    public void soon(long number) {
        if (!awake || number - settled == WRITES_MAX) {
            wakeTimer();
        }
    }

    /// Forces what is left, and reports a failure that no waiter was told.
    @Override
    public void close() throws IOException {
        closed = true;
        Thread thread = timer;
        if (thread != null) {
            LockSupport.unpark(thread);
        }
        forcing.lock();
        try {
            if (settled < written) {
                forceUnlessLocked();
            }
            if (failure != null) {
                throw new IOException(
                        "writes "
                                + failedFrom
                                + " to "
                                + failedThrough
                                + " may not be on the disk: "
                                + failure.getMessage(),
                        failure);
            }
        } finally {
            forcing.unlock();
        }
    }

    /// False if a lock withheld it.
    private boolean forceUnlessLocked() {
        try {
            forceAll(true);
            return true;
        } catch (WithheldException e) {
            // What was written is the kernel's, and reaches the disk without us.
            return false;
        }
    }

    private void forceAll(boolean forOthers) throws WithheldException {
        long target = written;
        try {
            force.run(forOthers);
        } catch (WithheldException e) {
            throw e;
        } catch (IOException e) {
            failedFrom = Math.min(failedFrom, settled + 1);
            failedThrough = target;
            failure = e;
        }
        settled = target;
    }

    private void wakeTimer() {
        Thread thread = timer;
        LockSupport.unpark(thread == null ? startTimer() : thread);
    }

    private synchronized Thread startTimer() {
        Thread running = timer;
        if (running == null) {
            running =
                    Thread.ofPlatform()
                            .daemon()
                            .name("rse-group-commit")
                            .start(this::forceInGroups);
            timer = running;
        }
        return running;
    }

    private void forceInGroups() {
        while (!closed) {
            if (settled == written) {
                awake = false;
                // A write that came before it was said would wake nobody.
                if (settled == written && !closed) {
                    LockSupport.park(this);
                }
                awake = true;
                continue;
            }
            // Only for what waits by now: what comes later has its own time, and where somebody
            // always waits for the disk, nothing is left for the timer to do.
            long oldest = settled + 1;
            long start = System.nanoTime();
            pauseUntil(start + REST_MIN_NANOS, Long.MAX_VALUE);
            pauseUntil(start + DELAY_MAX_NANOS / 2, WRITES_MAX);
            boolean locked;
            forcing.lock();
            try {
                // Once it is closed, nothing is touched any more: what a lock withheld then stays
                // the kernel's.
                locked = !closed && settled < oldest && !forceUnlessLocked();
            } finally {
                forcing.unlock();
            }
            if (locked) {
                LockSupport.parkNanos(this, LOCKED_PAUSE_NANOS);
            }
        }
    }

    /// Waits until the time, or until so many writes wait, or none.
    private void pauseUntil(long endNanos, long writesMax) {
        long left = endNanos - System.nanoTime();
        while (left > 0 && !closed && settled < written && written - settled < writesMax) {
            LockSupport.parkNanos(this, left);
            left = endNanos - System.nanoTime();
        }
    }
}
