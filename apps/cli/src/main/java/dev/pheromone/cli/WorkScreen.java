package dev.pheromone.cli;

import dev.pheromone.Json;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.hive.Progress;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.locks.ReentrantLock;

/// Where a worker shows what happens: results on standard output, the rest on standard error, and
/// at a terminal a last line that is written anew in its place. Safe for use by several threads.
final class WorkScreen {

    /// Back to the start of the line, and clear it.
    private static final String CLEAR = "\r\u001b[K";

    private final Invocation call;
    private final Runnable onClosed;
    private final boolean hasProgress;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile String progress = "";

    /// @param onClosed run when nobody reads the results any more
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

    /// Shows what a command printed.
    void show(byte[] lines) {
        write(() -> call.showAside(lines));
    }

    /// Tells people something.
    void note(String text) {
        write(() -> call.note(text));
    }

    /// Prints what became of one envelope.
    void result(Json.Obj json, String text) {
        if (!call.args().has("quiet")) {
            write(() -> call.stream(json, text));
        }
    }

    void progress(Progress now) {
        if (hasProgress) {
            String text = describe(now);
            int columns = TerminalWidth.of(call.surroundings());
            progress = text.length() < columns ? text : text.substring(0, columns - 1);
            write(() -> {});
        }
    }

    /// Removes the line about the progress.
    void endProgress() {
        progress = "";
        write(() -> {});
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

    private void write(Runnable print) {
        lock.lock();
        try {
            if (hasProgress) {
                call.showAside(CLEAR.getBytes(StandardCharsets.UTF_8));
            }
            print.run();
            if (hasProgress && !progress.isEmpty()) {
                call.showAside(SafeText.line(progress).getBytes(StandardCharsets.UTF_8));
            }
        } catch (OutputClosedException e) {
            // Mail must not be taken for somebody who has left.
            onClosed.run();
        } finally {
            lock.unlock();
        }
    }
}
