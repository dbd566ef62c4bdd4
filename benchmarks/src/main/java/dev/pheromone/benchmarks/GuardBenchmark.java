package dev.pheromone.benchmarks;

import dev.pheromone.benchmarks.Row.Goal;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.file.FileTransport;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.Verdict;
import dev.pheromone.lock.LockFiles;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// A question to the guard, gate and all, beside a durable send: in a hive without locks, and in
/// one with a list.
final class GuardBenchmark implements Benchmark {

    private static final int ROUNDS = 60;
    private static final int WARM_UPS = 120;
    private static final int CHECKS_A_ROUND = 200;
    private static final int SENDS_A_ROUND = 12;
    private static final int ENTRIES = 20;

    private final SampleMail mail = new SampleMail();

    @Override
    public String name() {
        return "guard";
    }

    @Override
    public List<Row> run(Setting setting) throws Exception {
        HiveLayout free = setting.scratch().freshHive("guard-free", SampleMail.INBOX);
        HiveLayout listed = setting.scratch().freshHive("guard-listed", SampleMail.INBOX);
        Path lists = Files.createDirectory(listed.hive().resolve("do-not-read"));
        StringBuilder yaml = new StringBuilder();
        for (int i = 0; i < ENTRIES; i++) {
            yaml.append("- path_pattern: \"secrets/").append(i).append("/**\"\n");
        }
        Files.writeString(lists.resolve("list.yaml"), yaml);
        // The guard believes only what has rested.
        Thread.sleep(Duration.ofSeconds(3));
        return List.of(
                beside(setting, free, "guard check, no locks", Goal.timeAtMost(0.05)),
                beside(
                        setting,
                        listed,
                        "guard check, %d entries".formatted(ENTRIES),
                        Goal.timeAtMost(0.05)));
    }

    private Row beside(Setting setting, HiveLayout layout, String what, Goal goal)
            throws Exception {
        LockFiles guard = new LockFiles(layout);
        Path file = layout.inbox(SampleMail.INBOX).resolve("01JAB5C6D7E8F9G0H1J2K3M4N5.md");
        try (FileTransport hive = Scratch.open(layout)) {
            return new Row.Measured(
                    name(),
                    what,
                    "durable send, one producer",
                    Duel.run(
                            setting.effort().rounds(WARM_UPS),
                            setting.effort().rounds(ROUNDS),
                            () -> check(guard, file),
                            () -> send(hive)),
                    goal);
        }
    }

    private static double check(LockFiles guard, Path file) {
        long start = System.nanoTime();
        for (int i = 0; i < CHECKS_A_ROUND; i++) {
            if (!guard.check(file, Access.WRITE).equals(Verdict.ALLOWED)) {
                throw new IllegalStateException(file + " is not free");
            }
        }
        return (System.nanoTime() - start) / (double) CHECKS_A_ROUND;
    }

    private double send(FileTransport hive) throws Exception {
        List<Envelope> envelopes = mail.next(SENDS_A_ROUND, Duration.ZERO);
        long start = System.nanoTime();
        for (Envelope envelope : envelopes) {
            hive.send(envelope);
        }
        return (System.nanoTime() - start) / (double) SENDS_A_ROUND;
    }
}
