package dev.pheromone.server;

import dev.pheromone.rse.Cursor;
import dev.pheromone.rse.Disclosure;
import dev.pheromone.rse.RseEntry;
import dev.pheromone.rse.RseLog;
import dev.pheromone.rse.RseReading;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// Reads the end of the event log once for all who follow it, and keeps the newest entries for
/// them.
///
/// Nobody has a queue of their own: each follower has a number, that of the next entry it wants.
/// One that falls so far behind that its entry is gone is told so.
final class EventHub implements Closeable {

    /// What there is for a follower.
    ///
    /// @param next the number to ask for then
    /// @param isLost whether it is too late for what was asked for
    record Batch(List<EventFrame> frames, long next, boolean isLost) {}

    /// Where a follower begins.
    ///
    /// @param floor what begins before this in the log it has already
    record Place(long next, long floor, Cursor cursor) {}

    /// How much one follower gets at once.
    private static final int BATCH_MAX = 256;

    private static final Duration LOOK = Duration.ofMillis(250);

    /// A busy log grows meanwhile: each addition wakes all followers, and each of them writes.
    private static final Duration GATHER = Duration.ofMillis(10);

    private static final Duration TROUBLE_PAUSE = Duration.ofSeconds(1);
    private static final Duration CLOSE_MAX = Duration.ofSeconds(5);

    private final RseLog log;
    private final Disclosure disclosure;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /// The newest entries, each at its number modulo the length: whoever follows takes from the
    /// middle, and nobody walks through the rest.
    private final @Nullable EventFrame[] frames;

    /// The number of the oldest entry that is kept, and of the one to come.
    private long first;

    private long end;

    /// The place in the log before the oldest entry that is kept.
    private Cursor base = Cursor.START;

    private @Nullable Cursor reached;
    private @Nullable Thread reader;
    private boolean closed;

    EventHub(RseLog log, Disclosure disclosure, int framesMax) {
        this.log = log;
        this.disclosure = disclosure;
        this.frames = new EventFrame[framesMax];
    }

    /// The end of the log, as soon as it is found; empty if that takes longer than `wait`.
    Optional<Place> end(Duration wait) throws InterruptedException {
        lock.lock();
        try {
            start();
            long left = wait.toNanos();
            while (reached == null && !closed && left > 0) {
                left = changed.awaitNanos(left);
            }
            return Optional.ofNullable(reached)
                    .map(cursor -> new Place(end, cursor.offset(), cursor));
        } finally {
            lock.unlock();
        }
    }

    /// As [#join], but waits for us to get there first: who reads a busy log alone is mostly ahead,
    /// since we gather.
    Optional<Place> join(Cursor cursor, Duration wait) throws InterruptedException {
        lock.lock();
        try {
            start();
            long left = wait.toNanos();
            while ((reached == null || reached.offset() < cursor.offset()) && !closed && left > 0) {
                left = changed.awaitNanos(left);
            }
            return join(cursor);
        } finally {
            lock.unlock();
        }
    }

    /// Where to go on for who has read up to `cursor` without us; empty if that is no place of
    /// ours, or one in a log before the one that is read now.
    Optional<Place> join(Cursor cursor) {
        lock.lock();
        try {
            start();
            if (reached == null) {
                return Optional.empty();
            }
            // Offsets alone say nothing: another log has the same. The last place counts, and of
            // several on one line the first, because whoever is at an end has the line before it.
            long next = end;
            boolean found = false;
            while (true) {
                boolean here = placeBefore(next).equals(cursor);
                if (found && !here) {
                    return Optional.of(new Place(next + 1, cursor.offset(), cursor));
                }
                found = here;
                if (next == first
                        || frame(next - 1).isRestart()
                        || (!found && placeBefore(next).offset() < cursor.offset())) {
                    return found
                            ? Optional.of(new Place(next, cursor.offset(), cursor))
                            : Optional.empty();
                }
                next--;
            }
        } finally {
            lock.unlock();
        }
    }

    private Cursor placeBefore(long number) {
        return number == first ? base : frame(number - 1).after();
    }

    /// What comes from number `next` on, waited for at most `wait`.
    Batch take(long next, Duration wait) throws InterruptedException {
        lock.lock();
        try {
            long left = wait.toNanos();
            while (next >= end && !closed && left > 0) {
                left = changed.awaitNanos(left);
            }
            if (next < first) {
                return new Batch(List.of(), next, true);
            }
            List<EventFrame> batch = new ArrayList<>();
            for (long number = next; number < end && batch.size() < BATCH_MAX; number++) {
                batch.add(frame(number));
            }
            return new Batch(batch, next + batch.size(), false);
        } finally {
            lock.unlock();
        }
    }

    private EventFrame frame(long number) {
        return Objects.requireNonNull(frames[index(number)]);
    }

    private int index(long number) {
        return (int) (number % frames.length);
    }

    boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    private void start() {
        if (reader == null && !closed) {
            reader = Thread.ofVirtual().name("events").start(this::run);
        }
    }

    private void run() {
        Cursor from = Cursor.START;
        boolean skipped = false;
        while (!isClosed()) {
            try (RseReading reading = log.read(from)) {
                if (!skipped) {
                    skipToEnd(reading);
                    from = reading.cursor();
                    skipped = true;
                    arrive(from);
                }
                while (!isClosed()) {
                    List<EventFrame> found = new ArrayList<>();
                    try {
                        Optional<RseEntry> entry = reading.next(LOOK);
                        while (entry.isPresent()) {
                            Cursor behind = reading.cursor();
                            found.add(EventFrame.of(entry.get(), behind, disclosure));
                            from = behind;
                            // Together, so that followers are woken once and not for each.
                            entry = found.size() < BATCH_MAX ? reading.next() : Optional.empty();
                        }
                    } finally {
                        // A lock may come in the middle: what was read before it is not read again.
                        add(found, from);
                    }
                    if (!found.isEmpty()) {
                        pause(GATHER);
                    }
                }
            } catch (IOException | RuntimeException e) {
                // A lock, a disk in trouble, or a defect, which is to end nobody's following: we go
                // on where we were when that is over.
                pause(TROUBLE_PAUSE);
            }
        }
    }

    private static void skipToEnd(RseReading reading) throws IOException {
        Optional<RseEntry> entry = reading.next();
        while (entry.isPresent()) {
            entry = reading.next();
        }
    }

    private void arrive(Cursor cursor) {
        lock.lock();
        try {
            if (reached == null) {
                base = cursor;
                reached = cursor;
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    private void add(List<EventFrame> found, Cursor cursor) {
        if (found.isEmpty()) {
            return;
        }
        lock.lock();
        try {
            for (EventFrame frame : found) {
                if (end - first == frames.length) {
                    base = frame(first).after();
                    first++;
                }
                frames[index(end)] = frame;
                end++;
            }
            reached = cursor;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void pause(Duration pause) {
        lock.lock();
        try {
            long left = pause.toNanos();
            while (!closed && left > 0) {
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    /// Ends everybody's following, and does not return before the log is let go of.
    @Override
    public void close() {
        Thread last;
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
            last = reader;
        } finally {
            lock.unlock();
        }
        try {
            boolean _ = last == null || last.join(CLOSE_MAX);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
