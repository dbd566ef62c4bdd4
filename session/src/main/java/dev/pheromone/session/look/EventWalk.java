package dev.pheromone.session.look;

import dev.pheromone.file.FileTransport;
import dev.pheromone.rse.Cursor;
import dev.pheromone.rse.RseEntry;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseKey;
import dev.pheromone.rse.RseReading;
import dev.pheromone.rse.RseScope;
import dev.pheromone.session.hive.OpenHive;

import java.io.IOException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

/// A walk through the event log, and what a lock keeps out of it: each event once, though a crash
/// may have had it written twice.
public final class EventWalk {

    private final FileTransport transport;

    public EventWalk(OpenHive hive) {
        this.transport = hive.transport();
    }

    /// Gives every event that is `wanted` to `action`.
    ///
    /// @param scope covers what is wanted, and maybe more
    public void forEach(RseScope scope, Predicate<RseEvent> wanted, Consumer<RseEvent> action)
            throws IOException {
        // Of the others nothing is kept: a log of any length needs the room of what is wanted.
        Set<RseKey> seen = new HashSet<>();
        try (RseReading reading = transport.log().read(Cursor.START, scope)) {
            for (Optional<RseEntry> next = reading.next();
                    next.isPresent();
                    next = reading.next()) {
                if (next.get() instanceof RseEntry.Read read
                        && wanted.test(read.event())
                        && isNew(read.event(), seen)) {
                    action.accept(read.event());
                }
            }
        }
        for (RseEvent event : transport.embargo().events()) {
            if (wanted.test(event) && isNew(event, seen)) {
                action.accept(event);
            }
        }
    }

    private static boolean isNew(RseEvent event, Set<RseKey> seen) {
        Optional<RseKey> key = event.key();
        return key.isEmpty() || seen.add(key.get());
    }
}
