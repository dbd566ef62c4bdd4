package dev.pheromone.benchmarks;

import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseLine;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Set;

/// The least that a durable send can be: the file operations and forces of one, with the same bytes
/// to the same places, and nothing looked up or checked.
final class BareSend implements AutoCloseable {

    private static final Set<OpenOption> CREATE_NEW =
            Set.of(
                    StandardOpenOption.CREATE_NEW,
                    StandardOpenOption.WRITE,
                    LinkOption.NOFOLLOW_LINKS);
    private static final FileAttribute<?> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    /// An envelope with everything that is written for it, once.
    record Sendable(String name, ByteBuffer content, ByteBuffer dropLine, ByteBuffer emitLine) {

        static Sendable of(Envelope envelope, Instant now) {
            RseEvent drop =
                    new RseEvent.PheromoneDrop(
                            now,
                            envelope.lane(),
                            envelope.from(),
                            envelope.topic(),
                            envelope.priority(),
                            envelope.id().text(),
                            envelope.ttl(),
                            envelope.tags());
            RseEvent emit =
                    new RseEvent.RsmEnvelopeEmit(
                            now,
                            envelope.lane(),
                            envelope.from(),
                            envelope.id(),
                            envelope.to().stream().map(Object::toString).toList(),
                            envelope.priority(),
                            envelope.ttl(),
                            ".deia/inbox/" + SampleMail.INBOX + "/" + envelope.id() + ".md",
                            envelope.hash(),
                            SampleMail.INBOX);
            return new Sendable(
                    envelope.id().text(),
                    ByteBuffer.wrap(envelope.bytes()),
                    ByteBuffer.wrap(RseLine.write(drop)),
                    ByteBuffer.wrap(RseLine.write(emit)));
        }
    }

    /// A line of the sender's ledger, in length.
    private static final byte[] LEDGER_LINE =
            ("1760000000000 " + "-".repeat(31) + "\n").getBytes(StandardCharsets.US_ASCII);

    private final Path inbox;
    private final Path drafts;
    private final Path ledger;
    private final FileChannel log;

    BareSend(HiveLayout layout) throws IOException {
        this.inbox = layout.inbox(SampleMail.INBOX);
        this.drafts = inbox.resolve(".tmp");
        this.ledger =
                Files.createDirectories(layout.hive().resolve("state/code/senders"))
                        .resolve(SampleMail.SENDER.name());
        Path telemetry = Files.createDirectory(layout.hive().resolve("telemetry"));
        this.log =
                FileChannel.open(
                        telemetry.resolve("rse.jsonl"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.APPEND);
    }

    void send(Sendable sendable) throws IOException {
        log.write(sendable.dropLine());
        Path draft = drafts.resolve(sendable.name() + ".draft");
        try (FileChannel file = FileChannel.open(draft, CREATE_NEW, OWNER_ONLY)) {
            file.write(sendable.content());
            Files.createLink(inbox.resolve(sendable.name() + ".md"), draft);
            Files.delete(draft);
            file.force(true);
        }
        log.write(sendable.emitLine());
        try (FileChannel file =
                FileChannel.open(ledger, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            file.write(ByteBuffer.wrap(LEDGER_LINE));
        }
    }

    @Override
    public void close() throws IOException {
        log.close();
    }
}
