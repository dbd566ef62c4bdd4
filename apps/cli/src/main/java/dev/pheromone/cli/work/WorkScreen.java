package dev.pheromone.cli.work;

import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.OutputClosedException;
import dev.pheromone.cli.frame.TerminalWidth;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.hive.Progress;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// Where a worker shows what happens: results on standard output, the rest on standard error, and
/// at a terminal a last line that is written anew in its place. Safe for use by several threads.
///
/// One thread prints, and only that one is held up by a terminal that was paused or a pipe that
/// nobody reads. Others wait a moment for it; what has no room then is dropped, and counted.
final class WorkScreen implements AutoCloseable {

    /// Back to the start of the line, and clear it.
    private static final String CLEAR = "\r\u001b[K";

    /// How much of what commands print may wait to be printed.
    private static final int ASIDE_BYTES_MAX = 1 << 20;

    /// Results and notes still have room when commands have filled theirs.
    private static final int ALL_BYTES_MAX = 4 << 20;

    /// How long a reader may pause before it is not waited for.
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    /// How long a reader may pause at the end.
    private static final Duration LAST_PATIENCE = Duration.ofSeconds(3);

    private record Print(int bytes, Runnable action) {}

    private final Invocation call;
    private final Runnable onClosed;
    private final boolean hasProgress;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition added = lock.newCondition();
    private final Condition printed = lock.newCondition();
    private final ArrayDeque<Print> waiting = new ArrayDeque<>();
    private volatile String progress = "";
    private volatile @Nullable OutputClosedException unwritten;
    private @Nullable Thread printer;
    private long bytes;
    private long prints;
    private int dropped;
    private boolean stuck;
    private boolean closing;
    private boolean ended;
    private boolean readerLeft;

    /// @param onClosed run once nobody reads the results any more
    WorkScreen(Invocation call, Runnable onClosed) {
        this.call = call;
        this.onClosed = onClosed;
        this.hasProgress =
                call.surroundings().terminal().error()
                        && !call.wantsJson()
                        && !call.args().has("quiet")
                        && !"dumb".equals(call.surroundings().env().get("TERM"));
    }

    /// Whether a line about the progress is worth counting for.
    boolean hasProgress() {
        return hasProgress;
    }

    /// Shows what a command printed; not to programs, which are promised silence there.
    void show(byte[] lines) {
        if (!call.wantsJson()) {
            add(new Print(lines.length, () -> call.showAside(lines)), ASIDE_BYTES_MAX);
        }
    }

    /// Tells people something.
    void note(String text) {
        add(new Print(text.length(), () -> call.note(text)), ALL_BYTES_MAX);
    }

    /// Prints what became of one envelope.
    void result(Json.Obj json, String text) {
        if (!call.args().has("quiet")) {
            add(new Print(2 * text.length(), () -> stream(json, text)), ALL_BYTES_MAX);
        }
    }

    private void stream(Json.Obj json, String text) {
        try {
            call.stream(json, text);
        } catch (OutputClosedException e) {
            unwritten = e;
            throw e;
        }
    }

    /// Fails if a result could not be written though somebody wants it; asked once it is closed.
    void requireWritten() {
        OutputClosedException failed = unwritten;
        if (failed != null && !failed.readerLeft()) {
            throw failed;
        }
    }

    void progress(Progress now) {
        if (hasProgress) {
            String text = describe(now);
            int columns = TerminalWidth.of(call.surroundings());
            progress = text.length() < columns ? text : text.substring(0, columns - 1);
            redraw();
        }
    }

    /// Removes the line about the progress.
    void endProgress() {
        progress = "";
        redraw();
    }

    private void redraw() {
        if (hasProgress) {
            add(new Print(1, () -> {}), ASIDE_BYTES_MAX);
        }
    }

    static String describe(Progress now) {
        return "%d done, %d waiting, %d running, %d/min, %d %s"
                .formatted(
                        now.done(),
                        now.waiting(),
                        now.running(),
                        now.perMinute(),
                        now.failed(),
                        now.failed() == 1 ? "error" : "errors");
    }

    private void add(Print print, int bytesMax) {
        lock.lock();
        try {
            if (!awaitRoom(bytesMax)) {
                dropped++;
                return;
            }
            waiting.add(print);
            bytes += print.bytes();
            added.signal();
            if (printer == null) {
                printer = Thread.ofPlatform().daemon().name("printer").start(this::printAll);
            }
        } finally {
            lock.unlock();
        }
    }

    /// Whether there is room, at once or soon. An interrupt ends the wait, and is kept.
    private boolean awaitRoom(int bytesMax) {
        long left = stuck ? 0 : PATIENCE.toNanos();
        try {
            while (bytes >= bytesMax && left > 0) {
                left = printed.awaitNanos(left);
            }
            stuck |= bytes >= bytesMax;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return bytes < bytesMax;
    }

    private void printAll() {
        while (true) {
            Print next;
            lock.lock();
            try {
                while (waiting.isEmpty() && dropped == 0 && !closing) {
                    added.awaitUninterruptibly();
                }
                if (waiting.isEmpty() && dropped > 0) {
                    int count = dropped;
                    dropped = 0;
                    next = new Print(0, () -> call.note(notShown(count)));
                } else if (waiting.isEmpty()) {
                    ended = true;
                    printed.signalAll();
                    return;
                } else {
                    next = waiting.remove();
                }
            } finally {
                lock.unlock();
            }
            print(next);
        }
    }

    private static String notShown(int count) {
        return "warning: output was not read in time; "
                + count
                + (count == 1 ? " piece" : " pieces")
                + " of it left out";
    }

    private void print(Print next) {
        boolean closed = false;
        try {
            if (hasProgress) {
                call.showAside(CLEAR.getBytes(StandardCharsets.UTF_8));
            }
            next.action().run();
            if (hasProgress && !progress.isEmpty()) {
                call.showAside(SafeText.line(progress).getBytes(StandardCharsets.UTF_8));
            }
        } catch (OutputClosedException e) {
            closed = true;
        }
        lock.lock();
        try {
            bytes -= next.bytes();
            prints++;
            stuck = false;
            closed &= !readerLeft;
            readerLeft |= closed;
            printed.signalAll();
        } finally {
            lock.unlock();
        }
        if (closed) {
            // Mail must not be taken for somebody who has left.
            onClosed.run();
        }
    }

    /// Prints what waits to be printed.
    ///
    /// @throws OutputClosedException if nobody reads it
    @Override
    public void close() {
        boolean interrupted = false;
        lock.lock();
        try {
            closing = true;
            added.signal();
            long before = prints;
            long left = LAST_PATIENCE.toNanos();
            while (printer != null && !ended && left > 0) {
                try {
                    left = printed.awaitNanos(left);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
                if (prints != before) {
                    before = prints;
                    left = LAST_PATIENCE.toNanos();
                }
            }
            if (printer != null && !ended) {
                throw OutputClosedException.stuck();
            }
        } finally {
            lock.unlock();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
