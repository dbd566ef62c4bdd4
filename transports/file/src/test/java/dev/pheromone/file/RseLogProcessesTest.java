package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.disk.LocalDisk;
import dev.pheromone.file.log.JsonlRseLog;
import dev.pheromone.rse.Cursor;
import dev.pheromone.rse.RseEntry;
import dev.pheromone.rse.RseReading;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// Several processes on one log, some of them killed.
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class RseLogProcessesTest {

    private static final int PROCESSES = 4;
    private static final int EVENTS_EACH = 1_500;

    @TempDir Path folder;

    private Process start(String name, int count) throws IOException {
        String java = ProcessHandle.current().info().command().orElseThrow();
        return new ProcessBuilder(
                        java,
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        LogWriterMain.class.getName(),
                        file().toString(),
                        name,
                        Integer.toString(count))
                .inheritIO()
                .start();
    }

    private Path file() {
        return folder.resolve("rse.jsonl");
    }

    private JsonlRseLog log() {
        return new JsonlRseLog(new LocalDisk(), file());
    }

    @Test
    void fourProcessesNeverTearEachOthersLines() throws Exception {
        var processes = new ArrayList<Process>();
        for (int i = 0; i < PROCESSES; i++) {
            processes.add(start("p" + i, EVENTS_EACH));
        }
        for (Process process : processes) {
            assertThat(process.waitFor()).isZero();
        }
        Map<String, Long> next = new HashMap<>();
        try (JsonlRseLog log = log()) {
            for (RseEntry entry : RseEvents.all(log, Cursor.START)) {
                assertThat(entry).isInstanceOf(RseEntry.Read.class);
                String actor = ((RseEntry.Read) entry).event().actor();
                long number = RseEvents.number(entry);
                assertThat(number).isEqualTo(next.getOrDefault(actor, 0L));
                next.put(actor, number + 1);
            }
        }
        assertThat(next)
                .hasSize(PROCESSES)
                .allSatisfy((actor, count) -> assertThat(count).isEqualTo(EVENTS_EACH));
    }

    @Test
    void killedWritersLeaveALogThatOthersGoOnWith() throws Exception {
        try (JsonlRseLog log = log();
                RseReading reading = log.read(Cursor.START)) {
            for (int round = 0; round < 3; round++) {
                List<Process> processes = List.of(start("a" + round, -1), start("b" + round, -1));
                String last = "b" + round;
                // Wait until the second is at work, then end both in the middle of it.
                for (Optional<RseEntry> entry = Optional.empty(); !isBy(entry, last); ) {
                    entry = reading.next(Duration.ofSeconds(60));
                    assertThat(entry).isPresent();
                }
                for (Process process : processes) {
                    process.destroyForcibly().waitFor();
                }
            }
            Process after = start("after", 10);
            assertThat(after.waitFor()).isZero();
            List<RseEntry> entries = RseEvents.all(log, Cursor.START);
            assertThat(entries.reversed().subList(0, 10))
                    .extracting(RseEvents::number)
                    .startsWith(9L)
                    .endsWith(0L);
            assertThat(entries)
                    .filteredOn(entry -> !(entry instanceof RseEntry.Read))
                    .hasSizeLessThan(6);
        }
    }

    private static boolean isBy(Optional<RseEntry> entry, String actor) {
        return entry.isPresent()
                && entry.get() instanceof RseEntry.Read read
                && read.event().actor().equals(actor);
    }
}
