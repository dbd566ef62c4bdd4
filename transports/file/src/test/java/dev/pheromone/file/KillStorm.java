package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.disk.ChildJvm;
import dev.pheromone.file.upkeep.Recovery;

import org.awaitility.Awaitility;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/// Producers and workers in processes of their own, each killed and started again and again, until
/// the last life of each is let live and all is done.
final class KillStorm {

    /// How much weather there is.
    ///
    /// @param processes how many producers there are, and how many workers, at any time
    /// @param killsEach how often each of them is killed
    /// @param envelopesEach how many envelopes each producer sends
    record Size(int processes, int killsEach, int envelopesEach) {
        int envelopes() {
            return processes * envelopesEach;
        }

        int kills() {
            return 2 * processes * killsEach;
        }
    }

    /// A kill comes within so many steps of a life; several steps make one piece of work.
    private static final int STEPS_MAX = 40;

    /// Whoever has had nothing to do so often is killed in that state.
    private static final int IDLE_MAX = 50;

    /// And so long after a step began, which is about as long as a step takes in a young JVM.
    private static final int INTO_STEP_MICROS_MAX = 8_000;

    /// One life in so many begins with recovery.
    private static final int RECOVERS_EVERY = 4;

    private static final Duration CALM_MAX = Duration.ofMinutes(5);

    private static final int SIGKILLED = 128 + 9;

    private final StormHive hive;
    private final Size size;
    private final long seed;
    private final CountDownLatch kills;
    private final Set<String> killedWorkers = ConcurrentHashMap.newKeySet();

    KillStorm(StormHive hive, Size size, long seed) {
        this.hive = hive;
        this.size = size;
        this.seed = seed;
        this.kills = new CountDownLatch(size.kills());
    }

    /// The names of the workers' lives that ended by a kill.
    Set<String> killedWorkers() {
        return killedWorkers;
    }

    /// What the processes complained about, if they did.
    Path complaints() {
        return hive.root().resolve("complaints");
    }

    void run() throws Exception {
        try (ExecutorService slots = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> producers = new ArrayList<>();
            List<Future<Process>> workers = new ArrayList<>();
            for (int i = 0; i < size.processes(); i++) {
                int slot = i;
                producers.add(slots.submit(() -> produce(slot)));
                workers.add(slots.submit(() -> work(slot)));
            }
            for (Future<?> producer : producers) {
                producer.get();
            }
            awaitDone();
            for (Future<Process> worker : workers) {
                Process process = worker.get();
                process.getOutputStream().write('.');
                process.getOutputStream().flush();
                assertThat(process.waitFor()).isZero();
            }
        }
    }

    private Void produce(int slot) throws Exception {
        Random random = new Random(seed + slot);
        for (int life = 0; life < size.killsEach(); life++) {
            kill(startProducer(slot), random);
        }
        Process last = startProducer(slot);
        last.getInputStream().skip(Long.MAX_VALUE);
        assertThat(last.waitFor()).as("the last life of producer %s", slot).isZero();
        return null;
    }

    /// Lives and dies as worker `slot`; returns the last life, which is left alive.
    private Process work(int slot) throws Exception {
        Random random = new Random(~(seed + slot));
        for (int life = 0; life < size.killsEach(); life++) {
            Process process = startWorker(slot, life, random);
            kill(process, random);
            killedWorkers.add(nameOf(slot, life));
        }
        // A worker that stays alive would leave nothing to do for those that are yet to be killed.
        kills.await();
        Process last = startWorker(slot, size.killsEach(), random);
        Thread.ofVirtual().start(() -> drain(last.getInputStream()));
        return last;
    }

    private static void drain(InputStream steps) {
        try {
            steps.skip(Long.MAX_VALUE);
        } catch (IOException e) {
            // It has ended.
        }
    }

    private Process startProducer(int slot) throws IOException {
        return start(
                ChildJvm.plain()
                        .of(
                                StormProducerMain.class,
                                hive.root().toString(),
                                Integer.toString(slot),
                                Integer.toString(size.envelopesEach())));
    }

    private Process startWorker(int slot, int life, Random random) throws IOException {
        boolean recovers = random.nextInt(RECOVERS_EVERY) == 0;
        return start(
                ChildJvm.plain()
                        .of(
                                StormWorkerMain.class,
                                hive.root().toString(),
                                nameOf(slot, life),
                                recovers ? "recovers" : "works"));
    }

    private Process start(ProcessBuilder builder) throws IOException {
        return builder.redirectError(ProcessBuilder.Redirect.appendTo(complaints().toFile()))
                .start();
    }

    private static String nameOf(int slot, int life) {
        return "w" + slot + "-" + life;
    }

    private void kill(Process process, Random random) throws Exception {
        int steps = 1 + random.nextInt(STEPS_MAX);
        int micros = random.nextInt(INTO_STEP_MICROS_MAX);
        awaitSteps(process.getInputStream(), steps);
        assertThat(process.waitFor(micros, TimeUnit.MICROSECONDS)).as("ended by itself").isFalse();
        process.destroyForcibly();
        assertThat(process.waitFor()).isEqualTo(SIGKILLED);
        kills.countDown();
    }

    private static void awaitSteps(InputStream said, int steps) throws IOException {
        for (int idle = 0, left = steps; left > 0 && idle < IDLE_MAX; ) {
            int what = said.read();
            assertThat(what).as("it ended %s steps before the kill", left).isNotNegative();
            if (what == StormWorkerMain.IDLE) {
                idle++;
            } else {
                left--;
            }
        }
    }

    /// Waits until everything is done, with the housekeeping that a running hive does.
    private void awaitDone() throws Exception {
        try (FileTransport transport = hive.open(Actor.parse("housekeeper"))) {
            Awaitility.await("all done")
                    .atMost(CALM_MAX)
                    .pollInterval(Duration.ofMillis(200))
                    .until(() -> {
                        transport.upkeep().recover(Recovery.Extent.RECENT);
                        return transport.catalog().archived(StormHive.CODE, State.DONE).size()
                                >= size.envelopes();
                    });
        }
    }
}
