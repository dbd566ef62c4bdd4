package dev.pheromone.cli.look;

import dev.pheromone.cli.frame.FullScreen;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.Standstill;
import dev.pheromone.cli.frame.StopSignals;
import dev.pheromone.cli.frame.TerminalWidth;
import dev.pheromone.cli.lock.LockListing;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.hive.ServiceLevels;
import dev.pheromone.hive.ServiceReport;
import dev.pheromone.rse.Cursor;
import dev.pheromone.rse.RseEntry;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseReading;
import dev.pheromone.session.Session;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.look.HiveState;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/// `rsm status --watch`: a hive on the whole terminal, drawn anew as it changes, until somebody
/// leaves.
final class LiveStatus {

    private static final Duration REDRAW = Duration.ofSeconds(1);

    /// Measuring takes longer the longer the log is, and promises are kept over hours.
    private static final Duration MEASURE = Duration.ofSeconds(10);

    private static final Duration MEASURED = Duration.ofHours(24);
    private static final int EVENTS_MAX = 200;

    private final Invocation call;
    private final OpenHive hive;
    private final ServiceLevels levels = new ServiceLevels();
    private final Deque<RseEvent> events = new ArrayDeque<>();
    private @Nullable RseReading reading;
    private @Nullable ServiceReport report;
    private Instant measuredAt = Instant.MIN;
    private volatile boolean left;

    LiveStatus(Invocation call, OpenHive hive) {
        this.call = call;
        this.hive = hive;
    }

    void run() throws IOException {
        try (FullScreen screen = call.fullScreen();
                StopSignals _ = new StopSignals(() -> left = true)) {
            while (!left) {
                TerminalWidth.Size size = TerminalWidth.size(call.surroundings());
                screen.draw(frame(size), size);
                left |= screen.isLeftWithin(REDRAW);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            if (reading != null) {
                reading.close();
            }
        }
    }

    /// What the terminal shows now. Under a lock it says so, and looks again.
    private List<String> frame(TerminalWidth.Size size) throws IOException {
        LiveFrame frame = new LiveFrame(call.surroundings(), size, call.now());
        try {
            Session session = new Session(call, hive);
            HiveState state = session.state();
            readOn();
            if (report == null || !call.now().isBefore(measuredAt.plus(MEASURE))) {
                measuredAt = call.now();
                report =
                        levels.report(
                                call.now().minus(MEASURED),
                                call.now(),
                                ServiceLevels.Evidence.NONE);
            }
            return frame.of(
                    state,
                    session.needsYou(state),
                    new LockListing(session.locks()),
                    report,
                    List.copyOf(events));
        } catch (WithheldException e) {
            hive.transport().report(e);
            String root = hive.layout().root().toString();
            Standstill freeze = Standstill.by(call, e.verdict().lock()).orElse(null);
            return freeze == null ? frame.locked(root, e) : frame.frozen(root, freeze);
        }
    }

    /// Takes in what was added to the log, newest events first.
    private void readOn() throws IOException {
        if (reading == null) {
            reading = hive.log().read(Cursor.START);
        }
        for (Optional<RseEntry> next = reading.next(); next.isPresent(); next = reading.next()) {
            if (next.get() instanceof RseEntry.Read read) {
                levels.take(read.event());
                events.addFirst(read.event());
                if (events.size() > EVENTS_MAX) {
                    events.removeLast();
                }
            }
        }
    }
}
