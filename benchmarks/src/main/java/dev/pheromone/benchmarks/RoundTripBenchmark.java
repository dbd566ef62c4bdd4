package dev.pheromone.benchmarks;

import dev.pheromone.Inbox;
import dev.pheromone.benchmarks.BareRoundTrip.Parcel;
import dev.pheromone.benchmarks.Row.Goal;
import dev.pheromone.file.FileTransport;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// From sent to done in one process, beside the bare file operations.
final class RoundTripBenchmark implements Benchmark {

    private static final int ROUNDS = 60;

    /// As many as the JVM needs to compile the whole way.
    private static final int WARM_UPS = 500;

    private static final int TRIPS_A_ROUND = 16;

    private final SampleMail mail = new SampleMail();

    @Override
    public String name() {
        return "roundtrip";
    }

    @Override
    public List<Row> run(Setting setting) throws Exception {
        try (FileTransport hive =
                        Scratch.open(setting.scratch().freshHive("trip", SampleMail.INBOX));
                BareRoundTrip bare =
                        new BareRoundTrip(
                                setting.scratch().freshHive("trip-bare", SampleMail.INBOX))) {
            Inbox inbox = hive.inbox(SampleMail.INBOX);
            inbox.await(Duration.ZERO);
            Duel duel =
                    Duel.run(
                            setting.effort().rounds(WARM_UPS),
                            setting.effort().rounds(ROUNDS),
                            () ->
                                    OurSide.trip(
                                            hive, inbox, mail.next(TRIPS_A_ROUND, Duration.ZERO)),
                            () -> peer(bare));
            return List.of(
                    new Row.Measured(
                            name(),
                            "sent, selected, done",
                            "bare loop: same files and forces",
                            duel,
                            Goal.timeAtMost(1.5)));
        }
    }

    private double peer(BareRoundTrip bare) throws Exception {
        Instant now = Instant.now();
        List<Parcel> parcels =
                mail.next(TRIPS_A_ROUND, Duration.ZERO).stream()
                        .map(envelope -> Parcel.of(envelope, now))
                        .toList();
        long began = System.nanoTime();
        for (Parcel parcel : parcels) {
            bare.run(parcel);
        }
        return (double) (System.nanoTime() - began) / TRIPS_A_ROUND;
    }
}
