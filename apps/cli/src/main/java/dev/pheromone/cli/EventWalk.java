package dev.pheromone.cli;

import dev.pheromone.rse.Cursor;
import dev.pheromone.rse.RseEntry;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseKey;
import dev.pheromone.rse.RseLog;
import dev.pheromone.rse.RseReading;

import java.io.IOException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/// A walk through all of the event log: each event once, though a crash may have had it written
/// twice.
final class EventWalk {

    private final RseLog log;

    EventWalk(RseLog log) {
        this.log = log;
    }

    /// Gives every event to `action`, and returns how many lines could not be read.
    int forEach(Consumer<RseEvent> action) throws IOException {
        int bad = 0;
        Set<RseKey> seen = new HashSet<>();
        try (RseReading reading = log.read(Cursor.START)) {
            for (Optional<RseEntry> next = reading.next();
                    next.isPresent();
                    next = reading.next()) {
                switch (next.get()) {
                    case RseEntry.Read read -> {
                        Optional<RseKey> key = read.event().key();
                        if (key.isEmpty() || seen.add(key.get())) {
                            action.accept(read.event());
                        }
                    }
                    case RseEntry.Bad line -> bad++;
                    case RseEntry.Restart restart -> {}
                }
            }
        }
        return bad;
    }
}
