package dev.pheromone.benchmarks;

import dev.pheromone.Claim;
import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.address.Actor;
import dev.pheromone.benchmarks.Row.Goal;
import dev.pheromone.file.FileTransport;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/// Taking an envelope in a running process, from a crowded inbox beside a small one.
final class SelectBenchmark implements Benchmark {

    private static final int CROWD = 100_000;
    private static final int FEW = 1_000;
    private static final int ROUNDS = 300;
    private static final int WARM_UPS = 100;
    private static final Actor WORKER = Actor.parse("worker");
    private static final Lease LEASE = Lease.attended(Duration.ofMinutes(1));

    @Override
    public String name() {
        return "select";
    }

    @Override
    public List<Row> run(Setting setting) throws Exception {
        try (FileTransport crowded = Scratch.open(setting.scratch().crowdedHive(CROWD));
                FileTransport small = Scratch.open(setting.scratch().crowdedHive(FEW))) {
            Inbox crowd = watched(crowded);
            Inbox few = watched(small);
            Duel duel =
                    Duel.run(
                            setting.effort().rounds(WARM_UPS),
                            setting.effort().rounds(ROUNDS),
                            () -> select(crowd),
                            () -> select(few));
            return List.of(
                    new Row.Measured(
                            name(),
                            "select, 100,000 waiting",
                            "select, 1,000 waiting",
                            duel,
                            Goal.timeAtMost(2)));
        }
    }

    /// An inbox whose files are known, as a worker has it that waits for mail between selections.
    private static Inbox watched(FileTransport hive) throws Exception {
        Inbox inbox = hive.inbox(SampleMail.INBOX);
        inbox.await(Duration.ZERO);
        select(inbox);
        return inbox;
    }

    /// Times one selection; ends the work too, so that claims don't pile up, but off the clock.
    private static double select(Inbox inbox) throws IOException {
        long began = System.nanoTime();
        Selection selection = inbox.select(WORKER, LEASE);
        double time = System.nanoTime() - began;
        if (!(selection instanceof Selection.Taken(Claim claim))) {
            throw new IllegalStateException("nothing was taken: " + selection);
        }
        inbox.settle(claim.token(), new Outcome.Done(""));
        return time;
    }
}
