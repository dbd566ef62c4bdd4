package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pheromone.file.FileTransport;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// Many producers and workers at once, each a process: nothing is lost, torn or done twice.
///
/// The long form has fifty producers and ten workers; see `-Drsm.long=true`.
class FiftyProducersTest {

    private static final boolean LONG = Boolean.getBoolean("rsm.long");
    private static final int PRODUCERS = LONG ? 50 : 4;
    private static final int WORKERS = LONG ? 10 : 2;
    private static final int EACH = LONG ? 100 : 25;
    private static final Duration PATIENCE = LONG ? Duration.ofMinutes(20) : Duration.ofMinutes(2);

    @TempDir Path folder;
    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void endAll() {
        processes.forEach(Process::destroyForcibly);
    }

    @Test
    void nothingIsLostTornOrDoneTwice() throws Exception {
        SoakHive hive = SoakHive.make(folder);
        SoakClock clock = new SoakClock(Instant.now(), 1);
        List<Process> workers = new ArrayList<>();
        for (int i = 0; i < WORKERS; i++) {
            workers.add(
                    hive.start(SoakWorkerMain.class, "worker-" + i, clock.toString(), "1", "0"));
        }
        processes.addAll(workers);
        long began = System.nanoTime();
        List<Process> producers = new ArrayList<>();
        for (int i = 0; i < PRODUCERS; i++) {
            producers.add(hive.start(ProducerMain.class, "producer-" + i, Integer.toString(EACH)));
        }
        processes.addAll(producers);
        for (Process producer : producers) {
            assertThat(producer.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(producer.exitValue()).isZero();
        }
        int count = PRODUCERS * EACH;
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(100))
                .until(() -> hive.archived() >= count);
        Duration took = Duration.ofNanos(System.nanoTime() - began);
        for (Process worker : workers) {
            worker.getOutputStream().close();
            assertThat(worker.waitFor(60, TimeUnit.SECONDS)).isTrue();
        }

        Map<String, Integer> effects = hive.effects();
        assertThat(effects).doesNotContainKey("torn").hasSize(count);
        assertThat(effects.values()).containsOnly(1);
        assertThat(hive.archived()).isEqualTo(count);
        try (FileTransport transport = hive.open("ada", clock)) {
            assertThat(transport.inbox(SoakHive.CODE).waiting()).isEmpty();
            assertThat(SoakHive.badLines(transport)).isEmpty();
        }
        List<Long> micros = new ArrayList<>();
        for (int i = 0; i < PRODUCERS; i++) {
            Files.readAllLines(hive.root().resolve("producer-" + i + ".out"))
                    .forEach(line -> micros.add(Long.parseLong(line)));
        }
        micros.sort(null);
        System.out.printf(
                "%d producers, %d workers, %,d envelopes: 0 lost, 0 torn, 0 done twice; a send p50"
                        + " %.1f ms, p99 %.1f ms; %.0f/s from the first process to the last ack%n",
                PRODUCERS,
                WORKERS,
                count,
                micros.get(count / 2) / 1_000.0,
                micros.get(count * 99 / 100) / 1_000.0,
                count / (took.toMillis() / 1_000.0));
    }
}
