package dev.pheromone.benchmarks;

import dev.pheromone.benchmarks.BareSend.Sendable;
import dev.pheromone.benchmarks.Row.Goal;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.file.FileTransport;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// Durable sends: ours beside the bare file operations, and many producers beside one.
final class SendBenchmark implements Benchmark {

    private static final int MANY = 16;
    private static final int ROUNDS = 60;

    /// More than ten thousand sends: until then the JVM compiles the way that each takes, beside
    /// which the bare loop's is short. A program that sends all day has that behind it.
    private static final int WARM_UPS = 500;

    private static final int WARM_UPS_OF_MANY = 120;

    /// Short rounds, so that both sides meet the same state of the disk.
    private static final int SENDS_A_ROUND = 24;

    private static final int SENDS_A_ROUND_OF_MANY = 10 * MANY;

    private final SampleMail mail = new SampleMail();

    @Override
    public String name() {
        return "send";
    }

    @Override
    public List<Row> run(Setting setting) throws Exception {
        return List.of(oneBesideBare(setting), manyBesideOne(setting), manyBesideBare(setting));
    }

    private Row oneBesideBare(Setting setting) throws Exception {
        try (FileTransport hive = open(setting, "send-one");
                Producers<Envelope> ours =
                        new Producers<>(1, envelope -> OurSide.deliver(hive, envelope));
                BareSend bare = bare(setting, "send-bare");
                Producers<Sendable> peer = new Producers<>(1, bare::send)) {
            Duel duel =
                    Duel.run(
                            setting.effort().rounds(WARM_UPS),
                            setting.effort().rounds(ROUNDS),
                            () -> ours.send(envelopes(SENDS_A_ROUND)),
                            () -> peer.send(sendables(SENDS_A_ROUND)));
            return new Row.Measured(
                    name(),
                    "durable send, one producer",
                    "bare loop: same files and forces",
                    duel,
                    Goal.speedAtLeast(0.75));
        }
    }

    private Row manyBesideOne(Setting setting) throws Exception {
        try (FileTransport many = open(setting, "send-many");
                Producers<Envelope> ours =
                        new Producers<>(MANY, envelope -> OurSide.deliver(many, envelope));
                FileTransport one = open(setting, "send-alone");
                Producers<Envelope> peer =
                        new Producers<>(1, envelope -> OurSide.deliver(one, envelope))) {
            Duel duel =
                    Duel.run(
                            setting.effort().rounds(WARM_UPS_OF_MANY),
                            setting.effort().rounds(ROUNDS),
                            () -> ours.send(envelopes(SENDS_A_ROUND_OF_MANY)),
                            () -> peer.send(envelopes(SENDS_A_ROUND)));
            return new Row.Measured(
                    name(),
                    "durable send, 16 producers",
                    "durable send, one producer",
                    duel,
                    Goal.speedAtLeast(3));
        }
    }

    private Row manyBesideBare(Setting setting) throws Exception {
        try (FileTransport hive = open(setting, "send-many");
                Producers<Envelope> ours =
                        new Producers<>(MANY, envelope -> OurSide.deliver(hive, envelope));
                BareSend bare = bare(setting, "send-many-bare");
                Producers<Sendable> peer = new Producers<>(MANY, bare::send)) {
            Duel duel =
                    Duel.run(
                            setting.effort().rounds(WARM_UPS_OF_MANY),
                            setting.effort().rounds(ROUNDS),
                            () -> ours.send(envelopes(SENDS_A_ROUND_OF_MANY)),
                            () -> peer.send(sendables(SENDS_A_ROUND_OF_MANY)));
            return new Row.Measured(
                    name(),
                    "durable send, 16 producers",
                    "16 bare loops: same files and forces",
                    duel,
                    Goal.shownAsSpeed());
        }
    }

    private static FileTransport open(Setting setting, String name) throws Exception {
        return Scratch.open(setting.scratch().freshHive(name, SampleMail.INBOX));
    }

    private static BareSend bare(Setting setting, String name) throws Exception {
        return new BareSend(setting.scratch().freshHive(name, SampleMail.INBOX));
    }

    private List<Envelope> envelopes(int number) {
        return mail.next(number, Duration.ZERO);
    }

    private List<Sendable> sendables(int number) {
        Instant now = Instant.now();
        return envelopes(number).stream().map(envelope -> Sendable.of(envelope, now)).toList();
    }
}
