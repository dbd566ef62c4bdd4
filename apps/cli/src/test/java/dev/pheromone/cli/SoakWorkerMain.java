package dev.pheromone.cli;

import dev.pheromone.Claim;
import dev.pheromone.Outcome;
import dev.pheromone.address.Actor;
import dev.pheromone.file.FileTransport;
import dev.pheromone.hive.Hive;
import dev.pheromone.hive.HiveOptions;
import dev.pheromone.hive.Report;
import dev.pheromone.hive.Worker;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

/// A process that works until its input ends: `ROOT NAME CLOCK SLOTS TROUBLE`. Of a thousand
/// envelopes it fails at TROUBLE times three, and hangs at TROUBLE.
final class SoakWorkerMain implements Worker {

    private static final int STATS_EVERY = 1_000;

    private final FileOutputStream effects;
    private final Random random = new Random();
    private final int trouble;

    private SoakWorkerMain(FileOutputStream effects, int trouble) {
        this.effects = effects;
        this.trouble = trouble;
    }

    public static void main(String[] args) throws Exception {
        SoakHive soak = new SoakHive(Path.of(args[0]));
        SoakClock clock = SoakClock.parse(args[2]);
        try (FileTransport transport = soak.open(args[1], clock);
                FileOutputStream effects =
                        new FileOutputStream(soak.effects(args[1]).toFile(), true)) {
            Stats stats = new Stats();
            Hive hive =
                    new Hive(
                            transport.inbox(SoakHive.CODE),
                            Actor.parse(args[1]),
                            new SoakWorkerMain(effects, Integer.parseInt(args[4])),
                            HiveOptions.defaults()
                                    .withConcurrency(Integer.parseInt(args[3]))
                                    .withTimeout(Duration.ofSeconds(10))
                                    // Of the fast clock: a busy machine must not lose a claim.
                                    .withLease(Duration.ofMinutes(10)),
                            clock,
                            stats::take);
            Thread.ofPlatform()
                    .daemon()
                    .start(() -> {
                        awaitEnd();
                        hive.stop();
                    });
            hive.run();
            stats.print();
        }
    }

    private static void awaitEnd() {
        try {
            while (System.in.read() >= 0) {}
        } catch (IOException e) {
            // The end of it, too.
        }
    }

    @Override
    public Outcome work(Claim claim) throws Exception {
        int dice = random.nextInt(1_000);
        if (dice < trouble) {
            new CountDownLatch(1).await();
        }
        if (dice < 4 * trouble) {
            return new Outcome.Failed("bad luck");
        }
        String id = SoakHive.isWhole(claim.envelope()) ? claim.envelope().id().text() : "torn";
        effects.write((id + "\n").getBytes(StandardCharsets.US_ASCII));
        return new Outcome.Done("");
    }

    /// Prints what this process needs, from time to time: `done heap-KiB files`.
    private static final class Stats {

        private int done;

        void take(Report report) {
            if (report instanceof Report.Settled(var _, Outcome.Done _, var _, var _)
                    && ++done % STATS_EVERY == 0) {
                print();
            } else if (!(report instanceof Report.Taken || report instanceof Report.Settled)) {
                System.err.println(report);
            }
        }

        void print() {
            System.gc();
            Runtime runtime = Runtime.getRuntime();
            long heap = (runtime.totalMemory() - runtime.freeMemory()) / 1024;
            System.out.println(done + " " + heap + " " + openFiles());
        }

        private static long openFiles() {
            try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
                return files.count();
            } catch (IOException e) {
                return 0;
            }
        }
    }
}
