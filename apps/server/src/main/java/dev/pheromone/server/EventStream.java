package dev.pheromone.server;

import dev.pheromone.rse.Cursor;
import dev.pheromone.rse.Disclosure;
import dev.pheromone.rse.RseEntry;
import dev.pheromone.rse.RseLog;
import dev.pheromone.rse.RseReading;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/// One client that follows the event log: with all the others, and if what it wants is older than
/// what they have, first by a reading of its own up to the end.
///
/// It ends when the client goes, reads too slowly, falls too far behind or may not read on. The
/// client comes back with the id of the last event it got, and misses nothing.
final class EventStream {

    /// How much is written before it is pushed out, while there is more.
    private static final int FLUSH_EVERY = 64;

    private static final Duration LOOK = Duration.ofMillis(100);

    private final RseLog log;
    private final Disclosure disclosure;
    private final EventHub hub;
    private final Duration heartbeat;
    private final BooleanSupplier allowed;
    private final OutputStream out;

    /// @param allowed whether the client may still read the log
    EventStream(
            RseLog log,
            Disclosure disclosure,
            EventHub hub,
            Duration heartbeat,
            BooleanSupplier allowed,
            OutputStream out) {
        this.log = log;
        this.disclosure = disclosure;
        this.hub = hub;
        this.heartbeat = heartbeat;
        this.allowed = allowed;
        this.out = out;
    }

    /// Writes events from `after` on, or those to come if that is null, until one side ends it.
    void run(@Nullable Cursor after) throws IOException, InterruptedException {
        Optional<EventHub.Place> place = after == null ? beginAtEnd() : catchUp(after);
        if (place.isPresent()) {
            follow(place.get());
        }
    }

    private Optional<EventHub.Place> beginAtEnd() throws IOException, InterruptedException {
        while (!hub.isClosed()) {
            Optional<EventHub.Place> end = hub.end(heartbeat);
            if (end.isPresent()) {
                write(EventFrame.place(end.get().cursor()), true);
                return end;
            }
            write(EventFrame.heartbeat(), true);
        }
        return Optional.empty();
    }

    private Optional<EventHub.Place> catchUp(Cursor after)
            throws IOException, InterruptedException {
        write(EventFrame.place(after), true);
        // Most come back after a moment, and what they missed is still at hand.
        Optional<EventHub.Place> near = hub.join(after);
        if (near.isPresent()) {
            return near;
        }
        long beat = System.nanoTime();
        try (RseReading reading = log.read(after)) {
            for (long count = 1; !hub.isClosed() && allowed.getAsBoolean(); count++) {
                Optional<RseEntry> entry = reading.next();
                if (entry.isEmpty()) {
                    write(new byte[0], true);
                    Optional<EventHub.Place> place = hub.join(reading.cursor(), LOOK);
                    if (place.isPresent()) {
                        return place;
                    }
                    entry = reading.next(LOOK);
                }
                if (entry.isPresent()) {
                    write(
                            EventFrame.of(entry.get(), reading.cursor(), disclosure).bytes(),
                            count % FLUSH_EVERY == 0);
                } else if (System.nanoTime() - beat > heartbeat.toNanos()) {
                    beat = System.nanoTime();
                    write(EventFrame.heartbeat(), true);
                }
            }
            return Optional.empty();
        }
    }

    private void follow(EventHub.Place place) throws IOException, InterruptedException {
        long next = place.next();
        long floor = place.floor();
        while (!hub.isClosed()) {
            EventHub.Batch batch = hub.take(next, heartbeat);
            if (batch.isLost() || !allowed.getAsBoolean()) {
                return;
            }
            for (EventFrame frame : batch.frames()) {
                if (frame.offset() >= floor) {
                    write(frame.bytes(), false);
                } else if (frame.isRestart()) {
                    // The log began anew: what we had of the old one is no measure any more.
                    floor = 0;
                    write(frame.bytes(), false);
                }
            }
            next = batch.next();
            write(batch.frames().isEmpty() ? EventFrame.heartbeat() : new byte[0], true);
        }
    }

    private void write(byte[] bytes, boolean flush) throws IOException {
        out.write(bytes);
        if (flush) {
            out.flush();
        }
    }
}
