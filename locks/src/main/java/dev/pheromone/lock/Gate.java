package dev.pheromone.lock;

import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.KernelLock;
import dev.pheromone.disk.LocalDisk;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// Where whoever touches hive files stays for as long as that takes, and whoever sets a lock waits
/// until all have left: the kernel's lock on one file, shared by the former.
///
/// Looking for a lock and then acting is not enough, because the lock may come in between; with the
/// gate, setting one returns only when nobody is in between any more.
///
/// The kernel grants a shared lock although somebody waits to have it alone. So a process whose
/// threads follow one another without a gap has to make the gap itself: at the next tick of
/// [#SHARED_MAX_NANOS] the gate closes, and nobody comes in until all threads have left and another
/// process had time to find the gate empty. A thread that is inside already may come in once more,
/// and so may threads for which all those inside wait, because they hold a Java lock.
public final class Gate {

    /// The name of its file, in the embargo's folder.
    public static final String NAME = "gate";

    /// How long an entrant waits for somebody who has the gate alone, and who keeps it for
    /// milliseconds.
    private static final Duration ENTER_MAX = Duration.ofSeconds(5);

    private static final Duration PAUSE = Duration.ofMillis(1);

    /// The longest time for which this process lets its threads follow one another: a locker is to
    /// have the gate within 100 ms, and with 10 ms a third of a busy process's time would be gaps.
    /// The time ends at ticks that all processes of a machine have in common (on Linux `nanoTime`
    /// is the machine's), so that several busy processes make their gaps at the same time.
    static final long SHARED_MAX_NANOS = Duration.ofMillis(40).toNanos();

    /// How long the gap is: every process that waits for the gate looks at least once within
    /// [#PAUSE], version 0.1 too.
    private static final long GAP_NANOS = 2 * PAUSE.toNanos();

    /// How often a closed gate looks whether the threads inside wait for one outside.
    private static final long LOOK_NANOS = TimeUnit.MICROSECONDS.toNanos(250);

    /// How many looks in a row must find all threads inside waiting: a single look also meets those
    /// that are about to leave.
    private static final int STUCK_LOOKS_MIN = 2;

    /// One gate a file in a process: the kernel does not tell a process's locks apart.
    private static final Map<Path, Gate> GATES = new ConcurrentHashMap<>();

    private final HiveLayout layout;
    private final Path file;
    private @Nullable KernelLock kernel;

    private final Set<Visit> inside = new HashSet<>();

    /// Who waits until the gate opens again, in the order of arrival. The first of them keeps watch
    /// for all.
    private final Deque<Visit> outside = new ArrayDeque<>();

    /// How many threads of this process wait to have the gate alone, or have it.
    private int alone;

    /// When the first of those came in who are inside.
    private long sharedSinceNanos;

    private boolean closed;
    private long gapEndNanos = System.nanoTime();
    private int stuckLooks;

    /// How many more are let in the next time that all threads inside wait: nobody knows for whom,
    /// and as few as possible are to be let in.
    private int letInNext = 1;

    private Gate(HiveLayout layout) {
        this.layout = layout;
        this.file = layout.embargo().resolve(NAME);
    }

    /// The gate of the hive at `layout`.
    static Gate of(HiveLayout layout) {
        return GATES.computeIfAbsent(layout.embargo(), embargo -> new Gate(layout));
    }

    /// One thread's stay inside. Any thread may end it.
    final class Visit {

        private final Thread visitor = Thread.currentThread();
        private volatile boolean admitted;

        private Visit() {}

        void leave() {
            Gate.this.leave(this);
        }
    }

    /// Goes in. Every return must be followed by one `leave`.
    Visit enter() throws IOException {
        Visit visit = new Visit();
        synchronized (this) {
            if (isOpenFor(visit)) {
                admit(visit);
                return visit;
            }
            outside.add(visit);
        }
        boolean interrupted = false;
        while (!visit.admitted) {
            long pause = watch(visit);
            if (pause > 0) {
                LockSupport.parkNanos(this, pause);
            }
            // A thread that is interrupted would not be parked again.
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return visit;
    }

    /// Whether the gate is open for one more; closes it if its time is up.
    private boolean isOpenFor(Visit visit) throws IOException {
        long now = System.nanoTime();
        if (inside.isEmpty()) {
            if (alone > 0 || !outside.isEmpty() || now - gapEndNanos < 0) {
                return false;
            }
            open();
            return true;
        }
        closed |=
                alone > 0
                        || Math.floorDiv(now, SHARED_MAX_NANOS)
                                != Math.floorDiv(sharedSinceNanos, SHARED_MAX_NANOS);
        return !closed || inside.stream().anyMatch(each -> each.visitor.equals(visit.visitor));
    }

    private void open() throws IOException {
        take(KernelLock::tryShared, System.nanoTime() + ENTER_MAX.toNanos());
        sharedSinceNanos = System.nanoTime();
        closed = false;
    }

    private void admit(Visit visit) {
        inside.add(visit);
        visit.admitted = true;
        if (!visit.visitor.equals(Thread.currentThread())) {
            LockSupport.unpark(visit.visitor);
        }
    }

    /// What one of those outside does until it is let in: the first of them opens the gate again
    /// when all have left, and lets others in for whom those inside wait. Returns for how long
    /// there is nothing to do.
    private synchronized long watch(Visit visit) throws IOException {
        if (visit.admitted) {
            return 0;
        }
        if (outside.peekFirst() != visit) {
            return ENTER_MAX.toNanos();
        }
        if (!inside.isEmpty()) {
            lookForStuck();
            return LOOK_NANOS;
        }
        if (alone > 0) {
            return LOOK_NANOS;
        }
        long gap = gapEndNanos - System.nanoTime();
        if (gap > 0) {
            return gap;
        }
        try {
            open();
        } catch (IOException e) {
            outside.removeFirst();
            wakeFirst();
            throw e;
        }
        letIn(outside.size());
        return 0;
    }

    private void lookForStuck() {
        if (inside.stream().anyMatch(each -> each.visitor.getState() == Thread.State.RUNNABLE)) {
            stuckLooks = 0;
            return;
        }
        if (++stuckLooks >= STUCK_LOOKS_MIN) {
            stuckLooks = 0;
            letIn(letInNext);
            letInNext = Math.min(2 * letInNext, Integer.MAX_VALUE / 2);
        }
    }

    private void letIn(int count) {
        for (int i = 0; i < count && !outside.isEmpty(); i++) {
            admit(outside.removeFirst());
        }
        wakeFirst();
    }

    private void wakeFirst() {
        Visit first = outside.peekFirst();
        if (first != null) {
            LockSupport.unpark(first.visitor);
        }
    }

    private synchronized void leave(Visit visit) {
        inside.remove(visit);
        if (inside.isEmpty()) {
            release();
            stuckLooks = 0;
            letInNext = 1;
            if (closed) {
                gapEndNanos = System.nanoTime() + GAP_NANOS;
            }
            wakeFirst();
            notifyAll();
        }
    }

    /// What is done while nobody else is inside. It must not go in itself, and be short: everybody
    /// waits for it.
    interface Work {
        void run() throws IOException;
    }

    /// Waits until everybody has left who was inside at the time of the call, and does `work`
    /// before anybody comes in again; false if somebody is inside for longer than `patience`, and
    /// then nothing was done. Nobody comes in before that who does not see what the caller did
    /// first.
    synchronized boolean alone(Duration patience, Work work)
            throws IOException, InterruptedException {
        long end = System.nanoTime() + patience.toNanos();
        alone++;
        try {
            while (!inside.isEmpty()) {
                long left = Duration.ofNanos(end - System.nanoTime()).toMillis();
                if (left <= 0) {
                    return false;
                }
                wait(left);
            }
            take(KernelLock::tryAlone, end);
            try {
                work.run();
            } finally {
                release();
            }
            return true;
        } catch (GateHeldException e) {
            return false;
        } finally {
            alone--;
            wakeFirst();
        }
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
