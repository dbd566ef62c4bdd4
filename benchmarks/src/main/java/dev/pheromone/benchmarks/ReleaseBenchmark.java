package dev.pheromone.benchmarks;

import dev.pheromone.SendResult;
import dev.pheromone.benchmarks.Row.Goal;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.file.FileTransport;
import dev.pheromone.file.embargo.KeptMail;
import dev.pheromone.lock.LockFiles;
import dev.pheromone.lock.Locksmith;

import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// Mail that a lock kept, released into an inbox in which much waits, beside an empty one.
final class ReleaseBenchmark implements Benchmark {

    private static final int KEPT = 300;
    private static final int WAITING = 5_000;
    private static final int ROUNDS = 20;
    private static final int WARM_UPS = 4;

    private final SampleMail mail = new SampleMail();

    @Override
    public String name() {
        return "release";
    }

    @Override
    public List<Row> run(Setting setting) throws Exception {
        HiveLayout crowded = setting.scratch().crowdedHive(WAITING);
        HiveLayout empty = setting.scratch().freshHive("released", SampleMail.INBOX);
        Duel duel =
                Duel.run(
                        WARM_UPS,
                        setting.effort().rounds(ROUNDS),
                        () -> released(crowded),
                        () -> released(empty));
        return List.of(
                new Row.Measured(
                        name(),
                        "a kept envelope released, 5,000 waiting",
                        "the same into an empty inbox",
                        duel,
                        Goal.timeAtMost(1.5)));
    }

    /// The nanoseconds for one of the envelopes that wait in the embargo. What was released is
    /// taken out again, off the clock.
    private double released(HiveLayout layout) throws Exception {
        Locksmith smith = new Locksmith(layout, new LockFiles(layout));
        if (!smith.lockHive("a benchmark").isQuiet()) {
            throw new IllegalStateException("the hive is not quiet");
        }
        List<Envelope> envelopes = mail.next(KEPT, Duration.ZERO);
        try (FileTransport hive = Scratch.open(layout)) {
            for (Envelope envelope : envelopes) {
                require(hive, envelope, SendResult.Withheld.class);
            }
        }
        var _ = smith.unlockHive(Instant.now());
        double time;
        try (FileTransport hive = Scratch.open(layout)) {
            List<KeptMail> kept = hive.embargo().mail();
            if (kept.size() != KEPT) {
                throw new IllegalStateException("found " + kept.size() + " kept envelopes");
            }
            long began = System.nanoTime();
            for (KeptMail each : kept) {
                var _ = hive.embargo().release(each);
            }
            time = (double) (System.nanoTime() - began) / KEPT;
        }
        for (Envelope envelope : envelopes) {
            Files.delete(layout.mail(SampleMail.INBOX, envelope.id()));
        }
        return time;
    }

    private static void require(
            FileTransport hive, Envelope envelope, Class<? extends SendResult> expected)
            throws Exception {
        SendResult result = hive.send(envelope).copies().getFirst().result();
        if (!expected.isInstance(result)) {
            throw new IllegalStateException("not kept: " + result);
        }
    }
}
