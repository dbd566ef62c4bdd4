package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.disk.FaultyDisk;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.file.log.JsonlRseLog;
import dev.pheromone.rse.Cursor;
import dev.pheromone.rse.RseEntry;
import dev.pheromone.rse.RseLog.Durability;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/// Every change that appending makes to the disk goes wrong once: the log stays good.
@Timeout(60)
class LogFaultTest {

    private static final int EVENTS = 4;
    private static final int STEPS_MAX = 100;
    private static final String TORN = "{\"ts\":\"2025-";

    @TempDir Path folder;

    /// Appends to a log that begins with a torn line, with a fault at this step. Returns the
    /// numbers of the events whose append returned well, or nothing if there is no such step.
    private List<Long> appendWithFault(Path file, FaultyDisk disk) throws IOException {
        Files.writeString(file, TORN, StandardOpenOption.CREATE_NEW);
        var confirmed = new ArrayList<Long>();
        var log = new JsonlRseLog(disk, file);
        try {
            for (long i = 0; i < EVENTS; i++) {
                try {
                    log.append(RseEvents.numbered("ada", i), Durability.DISK);
                    confirmed.add(i);
                } catch (IOException full) {
                    assertThat(full).hasMessageContaining("No space left");
                }
            }
        } catch (FaultyDisk.Death death) {
            // The process is gone; what it confirmed must be there.
        }
        return confirmed;
    }

    private static void assertGood(Path file, List<Long> confirmed, String hit) throws IOException {
        try (var log = new JsonlRseLog(new LocalDisk(), file)) {
            log.append(RseEvents.numbered("ada", EVENTS), Durability.DISK);
            List<RseEntry> entries = RseEvents.all(log, Cursor.START);
            List<Long> numbers =
                    entries.stream()
                            .filter(RseEntry.Read.class::isInstance)
                            .map(RseEvents::number)
                            .toList();
            assertThat(numbers)
                    .as(hit)
                    .containsAll(confirmed)
                    .endsWith((long) EVENTS)
                    .doesNotHaveDuplicates()
                    .isSorted();
            // The torn line it began with, and half a line at most.
            assertThat(entries.size() - numbers.size()).as(hit).isBetween(1, 2);
        }
    }

    @Test
    void aFailureAtAnyStepCostsAtMostTheEventThatItIsReportedFor() throws IOException {
        int step = 0;
        for (String hit = "first"; !hit.isEmpty(); step++) {
            assertThat(step).isLessThan(STEPS_MAX);
            Path file = folder.resolve("fails-" + step);
            var disk = new FaultyDisk(FaultyDisk.Fault.FAILS, step);
            List<Long> confirmed = appendWithFault(file, disk);
            hit = disk.hit();
            assertThat(confirmed).as(hit).hasSizeGreaterThanOrEqualTo(EVENTS - 1);
            assertGood(file, confirmed, hit);
        }
        assertThat(step).isGreaterThan(2 * EVENTS);
    }

    @Test
    void aDeathAtAnyStepLosesNothingThatWasConfirmed() throws IOException {
        int step = 0;
        for (String hit = "first"; !hit.isEmpty(); step++) {
            assertThat(step).isLessThan(STEPS_MAX);
            Path file = folder.resolve("dies-" + step);
            var disk = new FaultyDisk(FaultyDisk.Fault.DIES, step);
            List<Long> confirmed = appendWithFault(file, disk);
            hit = disk.hit();
            assertGood(file, confirmed, hit);
        }
        assertThat(step).isGreaterThan(2 * EVENTS);
    }
}
