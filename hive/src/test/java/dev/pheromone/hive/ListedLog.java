package dev.pheromone.hive;

import dev.pheromone.rse.Cursor;
import dev.pheromone.rse.RseEntry;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseLog;
import dev.pheromone.rse.RseReading;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/// An event log that is a list.
final class ListedLog implements RseLog {

    final List<RseEvent> events = new ArrayList<>();

    @Override
    public void append(RseEvent event, Durability durability) {
        events.add(event);
    }

    @Override
    public void append(List<? extends RseEvent> more, Durability durability) {
        events.addAll(more);
    }

    @Override
    public RseReading read(Cursor from) {
        Iterator<RseEvent> rest = List.copyOf(events).iterator();
        return new RseReading() {
            @Override
            public Optional<RseEntry> next() {
                return rest.hasNext()
                        ? Optional.of(new RseEntry.Read(0, 0, rest.next(), true))
                        : Optional.empty();
            }

            @Override
            public Optional<RseEntry> next(Duration wait) {
                return next();
            }

            @Override
            public Cursor cursor() {
                return Cursor.START;
            }

            @Override
            public long held() {
                return 0;
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public void close() {}
}
