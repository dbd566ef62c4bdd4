package dev.pheromone.file;

import dev.pheromone.address.Lane;
import dev.pheromone.rse.Cursor;
import dev.pheromone.rse.RseEntry;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseLog;
import dev.pheromone.rse.RseReading;
import dev.pheromone.text.Json;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Events for tests of the log, numbered so that each can be told from the others.
public final class RseEvents {

    private static final Instant TS = Instant.parse("2025-10-15T17:10:00Z");

    private RseEvents() {}

    public static RseEvent numbered(String actor, long number) {
        return numbered(actor, number, "");
    }

    public static RseEvent numbered(String actor, long number, String padding) {
        return new RseEvent.Other(
                TS, "test", Lane.CODE, actor, Json.obj().put("n", number).put("padding", padding));
    }

    public static long number(RseEntry entry) {
        return ((RseEntry.Read) entry).event().data().number("n");
    }

    public static List<RseEntry> all(RseLog log, Cursor from) throws IOException {
        try (RseReading reading = log.read(from)) {
            return rest(reading);
        }
    }

    public static List<RseEntry> rest(RseReading reading) throws IOException {
        var entries = new ArrayList<RseEntry>();
        for (Optional<RseEntry> entry = reading.next(); entry.isPresent(); entry = reading.next()) {
            entries.add(entry.get());
        }
        return entries;
    }

    public static List<Long> numbers(RseLog log) throws IOException {
        return all(log, Cursor.START).stream().map(RseEvents::number).toList();
    }
}
