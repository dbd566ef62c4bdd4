package dev.pheromone.benchmarks;

import dev.pheromone.address.Lane;
import dev.pheromone.benchmarks.Row.Goal;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.file.log.JsonlRseLog;
import dev.pheromone.lock.LockFiles;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseLine;
import dev.pheromone.rse.RseLog;
import dev.pheromone.rse.RseLog.Durability;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;

/// Events that do not wait for the disk, beside lines written to a file by nothing but a loop.
final class AppendBenchmark implements Benchmark {

    private static final int ROUNDS = 60;
    private static final int WARM_UPS = 10;

    /// Tens of milliseconds: long enough for ours to meet the forces that it does behind the
    /// writers' backs.
    private static final int EVENTS_A_ROUND = 20_000;

    /// After which the last of those forces is over, and is not laid at the loop's door.
    private static final Duration PAUSE = Duration.ofMillis(60);

    private static final int EVENTS = 64;

    @Override
    public String name() {
        return "append";
    }

    @Override
    public List<Row> run(Setting setting) throws Exception {
        List<RseEvent> events =
                new SampleMail()
                        .next(EVENTS, Duration.ZERO).stream().map(AppendBenchmark::event).toList();
        List<byte[]> lines = events.stream().map(RseLine::write).toList();
        HiveLayout layout = setting.scratch().freshHive("append", SampleMail.INBOX);
        try (RseLog log = JsonlRseLog.of(layout, new LockFiles(layout));
                FileChannel bare =
                        FileChannel.open(
                                setting.scratch().fresh("append-bare").resolve("lines"),
                                StandardOpenOption.CREATE,
                                StandardOpenOption.APPEND)) {
            Duel duel =
                    Duel.run(
                            setting.effort().rounds(WARM_UPS),
                            setting.effort().rounds(ROUNDS),
                            () -> append(log, events),
                            () -> append(bare, lines));
            return List.of(
                    new Row.Measured(
                            name(),
                            "event append, not waiting for the disk",
                            "bare loop: one write a line, no force",
                            duel,
                            Goal.speedAtLeast(0.5)));
        }
    }

    private static RseEvent event(Envelope envelope) {
        return new RseEvent.PheromoneDrop(
                envelope.ts(),
                Lane.CODE,
                envelope.from(),
                envelope.topic(),
                envelope.priority(),
                envelope.id().text(),
                envelope.ttl(),
                envelope.tags());
    }

    private static double append(RseLog log, List<RseEvent> events) throws Exception {
        long began = System.nanoTime();
        for (int i = 0; i < EVENTS_A_ROUND; i++) {
            log.append(events.get(i % EVENTS), Durability.GROUPED);
        }
        double time = (double) (System.nanoTime() - began) / EVENTS_A_ROUND;
        Thread.sleep(PAUSE);
        return time;
    }

    private static double append(FileChannel file, List<byte[]> lines) throws IOException {
        long began = System.nanoTime();
        for (int i = 0; i < EVENTS_A_ROUND; i++) {
            file.write(ByteBuffer.wrap(lines.get(i % EVENTS)));
        }
        double time = (double) (System.nanoTime() - began) / EVENTS_A_ROUND;
        // So that the next force of ours does not have to write this too.
        file.force(false);
        return time;
    }
}
