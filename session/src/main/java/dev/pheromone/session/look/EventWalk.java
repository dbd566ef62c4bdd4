package dev.pheromone.session.look;

import dev.pheromone.file.FileTransport;
import dev.pheromone.rse.Cursor;
import dev.pheromone.rse.RseEntry;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseKey;
import dev.pheromone.rse.RseReading;
import dev.pheromone.session.hive.OpenHive;

import java.io.IOException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/// A walk through all of the event log, and what a lock keeps out of it: each event once, though a
/// crash may have had it written twice.
public final class EventWalk {

    private final FileTransport transport;

    public EventWalk(OpenHive hive) {
        this.transport = hive.transport();
    }

    /// Gives every event to `action`, and returns how many lines could not be read.
    public int forEach(Consumer<RseEvent> action) throws IOException {
        int bad = 0;
        Set<RseKey> seen = new HashSet<>();
        try (RseReading reading = transport.log().read(Cursor.START)) {
            for (Optional<RseEntry> next = reading.next();
                    next.isPresent();
                    next = reading.next()) {
                switch (next.get()) {
                    case RseEntry.Read read -> {
                        if (isNew(read.event(), seen)) {
                            action.accept(read.event());
                        }
                    }
                    case RseEntry.Bad line -> bad++;
                    case RseEntry.Restart restart -> {}
                }
            }
        }
        for (RseEvent event : transport.keptEvents()) {
            if (isNew(event, seen)) {
                action.accept(event);
            }
        }
        return bad;
    }

    private static boolean isNew(RseEvent event, Set<RseKey> seen) {
        Optional<RseKey> key = event.key();
        return key.isEmpty() || seen.add(key.get());
    }
}
