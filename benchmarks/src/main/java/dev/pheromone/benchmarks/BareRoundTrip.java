package dev.pheromone.benchmarks;

import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseEvent.WorkerAck.Status;
import dev.pheromone.rse.RseLine;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// The least that mail from sent to done can be: the file operations and forces of it, with the
/// same number of bytes to places like ours, and nothing looked up, chosen or checked.
final class BareRoundTrip implements AutoCloseable {

    /// A line of an envelope's history, in length.
    private static final byte[] STEP =
            ("{\"what\":\"claim\"" + "-".repeat(150) + "}\n").getBytes(StandardCharsets.US_ASCII);

    private static final byte[] PICK = {'.'};

    private final BareSend send;
    private final Path inbox;
    private final Path active;
    private final Path running;
    private final Path histories;
    private final Path seen;
    private final Path archive;
    private final Path picks;
    private final FileChannel log;

    BareRoundTrip(HiveLayout layout) throws IOException {
        this.send = new BareSend(layout);
        this.inbox = layout.inbox(SampleMail.INBOX);
        this.active = Files.createDirectories(layout.hive().resolve("active/code"));
        this.running = Files.createDirectories(active.resolve(".running"));
        this.histories = Files.createDirectories(layout.hive().resolve("status/code"));
        this.seen = Files.createDirectories(layout.hive().resolve("seen/code"));
        this.archive = Files.createDirectories(layout.hive().resolve("archive/code/done/today"));
        this.picks = Files.createDirectories(layout.hive().resolve("state/code")).resolve("picks");
        this.log =
                FileChannel.open(
                        layout.hive().resolve("telemetry/rse.jsonl"), StandardOpenOption.APPEND);
    }

    /// What is written for one envelope, made before the clock runs.
    record Parcel(BareSend.Sendable sendable, ByteBuffer claimLines, ByteBuffer ackLine) {

        static Parcel of(Envelope envelope, Instant now) {
            EnvelopeId id = envelope.id();
            List<RseEvent> claim = new ArrayList<>();
            claim.add(
                    new RseEvent.PheromoneSense(
                            now, envelope.lane(), SampleMail.SENDER, id.text(), null));
            claim.add(
                    new RseEvent.RsmEnvelopeRecv(
                            now,
                            envelope.lane(),
                            SampleMail.SENDER,
                            id,
                            envelope.from().name(),
                            SampleMail.INBOX,
                            envelope.hash(),
                            1));
            claim.add(
                    new RseEvent.QueenSelect(
                            now,
                            envelope.lane(),
                            SampleMail.SENDER,
                            id,
                            "P1, age 0s of 1h, w 4.0, effective P1, first of 1",
                            SampleMail.INBOX,
                            1));
            claim.add(
                    new RseEvent.WorkerSpawn(
                            now,
                            envelope.lane(),
                            SampleMail.SENDER,
                            SampleMail.SENDER.name(),
                            null,
                            envelope.ttl(),
                            SampleMail.SENDER.name()));
            ByteBuffer lines = ByteBuffer.allocate(8_192);
            for (RseEvent event : claim) {
                lines.put(RseLine.write(event));
            }
            RseEvent ack =
                    new RseEvent.WorkerAck(
                            now,
                            envelope.lane(),
                            SampleMail.SENDER,
                            id,
                            Status.DONE,
                            null,
                            SampleMail.INBOX,
                            1);
            return new Parcel(
                    BareSend.Sendable.of(envelope, now),
                    lines.flip(),
                    ByteBuffer.wrap(RseLine.write(ack)));
        }
    }

    void run(Parcel parcel) throws IOException {
        String name = parcel.sendable().name();
        send.send(parcel.sendable());
        Path claim = active.resolve(name + ".1.worker.1760000000000.60.a12345678abcdef.md");
        Files.move(inbox.resolve(name + ".md"), claim, StandardCopyOption.ATOMIC_MOVE);
        append(picks, PICK);
        Path history = histories.resolve(name + ".jsonl");
        append(history, STEP);
        Files.createLink(running.resolve(name), claim);
        log.write(parcel.claimLines());
        Path folder = seen.resolve(name.substring(name.length() - 2));
        Files.createDirectories(folder);
        append(history, STEP);
        try (FileChannel copy = FileChannel.open(claim, StandardOpenOption.READ)) {
            Files.createLink(folder.resolve(name + "." + "0".repeat(64)), claim);
            copy.force(true);
        }
        Files.delete(running.resolve(name));
        Files.move(claim, archive.resolve(name + ".md"), StandardCopyOption.ATOMIC_MOVE);
        log.write(parcel.ackLine());
    }

    private static void append(Path file, byte[] bytes) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            channel.write(ByteBuffer.wrap(bytes));
        }
    }

    @Override
    public void close() throws IOException {
        log.close();
        send.close();
    }
}
