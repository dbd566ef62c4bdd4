package dev.pheromone.file;

import dev.pheromone.disk.LocalDisk;
import dev.pheromone.file.log.JsonlRseLog;
import dev.pheromone.rse.RseLog.Durability;

import java.io.IOException;
import java.nio.file.Path;

/// A process that appends to a log: `FILE NAME COUNT`, where a COUNT of -1 means until it is
/// killed.
final class LogWriterMain {

    private static final int PADDING_MAX = 12_000;

    private LogWriterMain() {}

    public static void main(String[] arguments) throws IOException {
        String name = arguments[1];
        long count = Long.parseLong(arguments[2]);
        try (var log = new JsonlRseLog(new LocalDisk(), Path.of(arguments[0]))) {
            for (long i = 0; i != count; i++) {
                // All lengths, so that lines end anywhere in the pages of the file.
                String padding = name.substring(0, 1).repeat((int) (i * 997 % PADDING_MAX));
                Durability durability = i % 100 == 0 ? Durability.DISK : Durability.GROUPED;
                log.append(RseEvents.numbered(name, i, padding), durability);
            }
        }
    }
}
