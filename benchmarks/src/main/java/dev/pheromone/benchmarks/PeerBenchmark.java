package dev.pheromone.benchmarks;

import dev.pheromone.Inbox;
import dev.pheromone.benchmarks.Row.Goal;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.file.FileTransport;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// A hive in files beside other queues that keep a message on the disk: the same messages, one
/// producer, one worker, each step waited for.
final class PeerBenchmark implements Benchmark {

    private static final int ROUNDS = 40;
    private static final int WARM_UPS = 40;
    private static final int MESSAGES_A_ROUND = 16;
    private static final int MANY = 16;

    private final SampleMail mail = new SampleMail();

    /// One of the others.
    ///
    /// @param send what our send should reach beside it, and `trip` a whole trip
    private record Rival(String name, String program, double send, double trip, Start start) {

        interface Start {
            Peer in(Path folder) throws Exception;
        }
    }

    private static final List<Rival> RIVALS =
            List.of(
                    new Rival(
                            "Redis stream, appendfsync always",
                            RedisPeer.PROGRAM,
                            0.7,
                            1,
                            RedisPeer::start),
                    new Rival(
                            "beanstalkd -f0",
                            BeanstalkPeer.PROGRAM,
                            0.3,
                            0.3,
                            BeanstalkPeer::start),
                    new Rival(
                            "SQLite, WAL, synchronous=FULL",
                            PythonPeer.PROGRAM,
                            0.6,
                            0.5,
                            folder -> PythonPeer.start("sqlite", folder)),
                    new Rival(
                            "Python's Maildir, names forced",
                            PythonPeer.PROGRAM,
                            1,
                            1,
                            folder -> PythonPeer.start("maildir", folder)));

    @Override
    public String name() {
        return "peers";
    }

    @Override
    public List<Row> run(Setting setting) throws Exception {
        List<Row> rows = new ArrayList<>();
        for (Rival rival : RIVALS) {
            if (Programs.isInstalled(rival.program())) {
                rows.addAll(beside(rival, setting));
            } else {
                rows.add(new Row.NotMeasured(name(), "no " + rival.program() + " on the PATH"));
            }
        }
        if (Programs.isInstalled(PythonPeer.PROGRAM)) {
            rows.add(manyBesideSqlite(setting));
        }
        return rows;
    }

    private Row manyBesideSqlite(Setting setting) throws Exception {
        try (FileTransport hive =
                        Scratch.open(setting.scratch().freshHive("many", SampleMail.INBOX));
                Producers<Envelope> ours =
                        new Producers<>(MANY, envelope -> OurSide.deliver(hive, envelope));
                Peer sqlite = PythonPeer.start("sqlite-16", setting.scratch().fresh("sqlite"))) {
            Duel duel =
                    Duel.run(
                            setting.effort().rounds(WARM_UPS),
                            setting.effort().rounds(ROUNDS),
                            () -> ours.send(mail.next(MANY * MESSAGES_A_ROUND, Duration.ZERO)),
                            () ->
                                    sqlite.send(
                                            mail
                                                    .next(MANY * MESSAGES_A_ROUND, Duration.ZERO)
                                                    .stream()
                                                    .map(Envelope::bytes)
                                                    .toList()));
            return new Row.Measured(
                    name(),
                    "durable send, 16 producers",
                    "SQLite, WAL, synchronous=FULL, 16 connections",
                    duel,
                    Goal.speedAtLeast(1));
        }
    }

    private List<Row> beside(Rival rival, Setting setting) throws Exception {
        try (FileTransport hive =
                        Scratch.open(setting.scratch().freshHive("peers", SampleMail.INBOX));
                Peer trips = rival.start().in(setting.scratch().fresh("trips"));
                Peer sends = rival.start().in(setting.scratch().fresh("sends"))) {
            Inbox inbox = hive.inbox(SampleMail.INBOX);
            // Trips first: what is only sent stays, and would be taken by them.
            Duel trip =
                    Duel.run(
                            setting.effort().rounds(WARM_UPS),
                            setting.effort().rounds(ROUNDS),
                            () -> OurSide.trip(hive, inbox, envelopes()),
                            () -> trips.trip(messages()));
            Duel send =
                    Duel.run(
                            setting.effort().rounds(WARM_UPS),
                            setting.effort().rounds(ROUNDS),
                            () -> OurSide.send(hive, envelopes()),
                            () -> sends.send(messages()));
            return List.of(
                    new Row.Measured(
                            name(),
                            "durable send",
                            rival.name(),
                            send,
                            Goal.speedAtLeast(rival.send())),
                    new Row.Measured(
                            name(),
                            "sent, selected, done",
                            rival.name(),
                            trip,
                            Goal.speedAtLeast(rival.trip())));
        }
    }

    private List<Envelope> envelopes() {
        return mail.next(MESSAGES_A_ROUND, Duration.ZERO);
    }

    private List<byte[]> messages() {
        return envelopes().stream().map(Envelope::bytes).toList();
    }
}
