package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pheromone.cli.report.Figures;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.Priority;
import dev.pheromone.file.Audit;
import dev.pheromone.file.FileTransport;
import dev.pheromone.file.setup.HiveRoot;
import dev.pheromone.file.upkeep.Coverage;
import dev.pheromone.hive.ServiceLevel;
import dev.pheromone.hive.ServiceLevels;
import dev.pheromone.hive.ServiceReport;
import dev.pheromone.lock.LockFiles;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// Many envelopes through four workers that fail, hang and are killed: none is lost, and the hive
/// keeps its promises.
///
/// The long form is 100,000 envelopes; see `-Drsm.long=true`.
class SoakTest {

    private static final boolean LONG = Boolean.getBoolean("rsm.long");
    private static final int COUNT = LONG ? 100_000 : 300;
    private static final int KILLS = LONG ? 40 : 2;
    private static final int WORKERS = 4;
    private static final int SLOTS = 2;

    /// From so many waiting on the inbox is too full.
    private static final int DEPTH = LONG ? 1_000 : 60;

    /// The first ones come at once, and urgent, so that nobody refuses them: the inbox is too full,
    /// and recovers.
    private static final int BURST = DEPTH + DEPTH / 2;

    /// So many of the others wait at most: as many as keeps everybody busy.
    private static final int LEAD = DEPTH / 2;

    /// Out of a thousand envelopes: three times as many fail, and so many hang.
    private static final int TROUBLE = LONG ? 2 : 5;

    private static final double DUPLICATES_MAX = 0.001;

    /// Between the 2,000th envelope of a worker and its last: some tables are for a day's mail.
    private static final long HEAP_GROWTH_KIB_MAX = 8_192;

    private static final Duration PATIENCE = LONG ? Duration.ofHours(2) : Duration.ofMinutes(2);

    @TempDir Path folder;
    private final Map<Integer, Process> workers = new HashMap<>();
    private final SoakClock clock = new SoakClock(Instant.now(), 10);
    private SoakHive hive;
    private int lives;

    @AfterEach
    void endAll() {
        workers.values().forEach(Process::destroyForcibly);
    }

    private void start(int worker) throws IOException {
        // Each life has a name of its own, and so a record of its own.
        workers.put(
                worker,
                hive.start(
                        SoakWorkerMain.class,
                        "worker-" + worker + "-" + lives++,
                        clock.toString(),
                        Integer.toString(SLOTS),
                        Integer.toString(TROUBLE)));
    }

    @Test
    void nothingIsLostAndNextToNothingIsDoneTwice() throws Exception {
        hive = SoakHive.make(folder, DEPTH);
        long began = System.nanoTime();
        try (FileTransport transport = hive.open("ada", clock)) {
            for (int i = 0; i < BURST; i++) {
                SoakHive.send(transport, SoakHive.mail("ada", i, Priority.P0, clock));
            }
        }
        CompletableFuture<Void> producer = CompletableFuture.runAsync(this::produce);
        for (int worker = 0; worker < WORKERS; worker++) {
            start(worker);
        }
        killAndStartAgain();
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(LONG ? 5_000 : 200))
                .until(() -> hive.archived() >= COUNT);
        producer.join();
        for (Process worker : workers.values()) {
            worker.getOutputStream().close();
            assertThat(worker.waitFor(60, TimeUnit.SECONDS)).isTrue();
        }
        Duration took = Duration.ofNanos(System.nanoTime() - began);

        Map<String, Integer> effects = hive.effects();
        int twice = effects.values().stream().mapToInt(times -> times - 1).sum();
        print(took, twice);
        assertThat(effects).doesNotContainKey("torn").hasSize(COUNT);
        assertThat(hive.archived()).isEqualTo(COUNT);
        assertThat(twice)
                .isLessThanOrEqualTo(Math.max(KILLS * SLOTS, (int) (COUNT * DUPLICATES_MAX)));
        if (LONG) {
            assertThat(twice).isLessThanOrEqualTo((int) (COUNT * DUPLICATES_MAX));
        }
        try (FileTransport transport = hive.open("ada", clock)) {
            assertThat(transport.inbox(SoakHive.CODE).waiting()).isEmpty();
            assertThat(SoakHive.badLines(transport)).isEmpty();
        }
        assertFlat();
        assertPromisesKept();
    }

    /// Sends the others, in the pace of the workers.
    private void produce() {
        try (FileTransport transport = hive.open("ada", clock)) {
            long done = 0;
            for (int i = BURST; i < COUNT; i++) {
                while (i - done > LEAD || isTooFull(transport)) {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
                    done = hive.effectCount();
                }
                SoakHive.send(transport, SoakHive.mail("ada", i, clock));
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean isTooFull(FileTransport transport) {
        return Files.exists(transport.layout().hive().resolve("state/code/backpressure"));
    }

    private void assertPromisesKept() throws Exception {
        HiveLayout layout = HiveRoot.at(hive.root());
        // What is younger than a minute may still be told.
        InstantSource later = () -> clock.instant().plus(Duration.ofMinutes(2));
        try (FileTransport transport = hive.open("ada", later)) {
            ServiceLevels levels = new ServiceLevels();
            levels.takeAll(transport.log());
            Coverage coverage = transport.upkeep().coverage(clock.start());
            Audit.Report audit = Audit.run(transport, new LockFiles(layout));
            ServiceReport report =
                    levels.report(
                            clock.start().minusSeconds(60),
                            clock.instant(),
                            new ServiceLevels.Evidence(
                                    coverage.facts(),
                                    coverage.told(),
                                    audit.files(),
                                    audit.violations(),
                                    0));
            for (ServiceLevel level : report.levels()) {
                System.out.printf(
                        "soak: %s %s, target %s, %d samples: %s%n",
                        Figures.name(level.metric()),
                        Figures.value(level),
                        Figures.target(level.metric()),
                        level.samples(),
                        level.result());
                // How long mail takes depends on what else the machine does, and the clock is fast.
                boolean isAboutTime = level.metric().unit() == ServiceLevel.Unit.SECONDS;
                // No agent program sits here that could see anything.
                if (level.metric() == ServiceLevel.Metric.SEEN) {
                    assertThat(level.result()).isEqualTo(ServiceLevel.Result.NO_DATA);
                } else if (LONG || !isAboutTime) {
                    assertThat(level.result())
                            .as(level.toString())
                            .isEqualTo(ServiceLevel.Result.MET);
                }
            }
        }
    }

    /// Never the first one: it shows that a worker needs no more after many envelopes than after
    /// few.
    private void killAndStartAgain() throws Exception {
        Random random = new Random();
        for (int kill = 1; kill <= KILLS; kill++) {
            long due = (long) COUNT * kill / (KILLS + 2);
            await().atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(100))
                    .until(() -> hive.effectCount() >= due);
            int worker = 1 + random.nextInt(WORKERS - 1);
            workers.get(worker).destroyForcibly().waitFor();
            start(worker);
        }
    }

    private List<long[]> stats() throws IOException {
        List<long[]> stats = new ArrayList<>();
        for (String line : Files.readAllLines(hive.root().resolve("worker-0-0.out"))) {
            String[] words = line.split(" ", -1);
            stats.add(
                    new long[] {
                        Long.parseLong(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2])
                    });
        }
        return stats;
    }

    private void assertFlat() throws IOException {
        List<long[]> stats = stats();
        if (stats.size() > 2) {
            long[] early = stats.get(1);
            long[] late = stats.getLast();
            assertThat(late[1]).as("heap, KiB").isLessThanOrEqualTo(early[1] + HEAP_GROWTH_KIB_MAX);
            assertThat(late[2]).as("open files").isLessThanOrEqualTo(early[2] + 8);
        }
    }

    private void print(Duration took, int twice) throws IOException {
        List<long[]> stats = stats();
        long[] first = stats.getFirst();
        long[] last = stats.getLast();
        System.out.printf(
                "soak: %,d envelopes, %d workers of %d slots, %d kills: 0 lost, %d done twice (%.3f"
                    + " %%), %d s, %.0f/s; a worker's heap %,d KiB after %,d done, %,d KiB after"
                    + " %,d; open files %d and %d%n",
                COUNT,
                WORKERS,
                SLOTS,
                KILLS,
                twice,
                100.0 * twice / COUNT,
                took.toSeconds(),
                COUNT / (took.toMillis() / 1_000.0),
                first[1],
                first[0],
                last[1],
                last[0],
                first[2],
                last[2]);
    }
}
