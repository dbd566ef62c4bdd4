package dev.pheromone.file;

import dev.pheromone.HiveConfig;
import dev.pheromone.HiveConfig.BackpressureLimits;
import dev.pheromone.HiveConfig.SenderLimits;
import dev.pheromone.PublicCheck;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.GuardedFiles;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.file.admission.Delays;
import dev.pheromone.file.copy.FileLimits;
import dev.pheromone.file.log.JsonlRseLog;
import dev.pheromone.lock.LockFiles;
import dev.pheromone.trust.TrustList;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

/// A hive that several real processes share, on a real clock with short waits; and beside it, what
/// those processes swear to have done.
///
/// @param root where the hive lies
public record StormHive(Path root) {

    static final Domain CODE = Domain.parse("code");

    /// Pauses in which nothing would happen, made short; and recovery at work on what is hardly
    /// old, so that it meets owners which are only slow.
    static final FileLimits LIMITS =
            new FileLimits(
                    Duration.ofSeconds(5),
                    Duration.ofMillis(2),
                    Duration.ofMillis(20),
                    Duration.ofMillis(300),
                    Duration.ofSeconds(1),
                    Duration.ofSeconds(2),
                    16,
                    1_000);

    /// Every death of a worker counts as a failed attempt, and none of them is the mail's fault.
    private static final int ATTEMPTS = 1_000;

    static StormHive create(Path root) throws IOException {
        StormHive hive = new StormHive(root.toRealPath());
        Files.createDirectories(hive.layout().drafts(CODE));
        return hive;
    }

    HiveLayout layout() {
        return new HiveLayout(root);
    }

    FileTransport open(Actor self) {
        GuardedFiles files = new GuardedFiles(new LocalDisk(), new LockFiles(layout()));
        JsonlRseLog log = new JsonlRseLog(files, layout().log());
        return new FileTransport(
                new HiveParts(
                        files,
                        layout(),
                        patient(),
                        TrustList.empty(),
                        LIMITS,
                        log,
                        self,
                        InstantSource.system()),
                log,
                Delays::hold,
                PublicCheck.REFUSES_ALL);
    }

    /// The usual configuration, but with patience, and without limits to what is sent: a storm is
    /// what they are there to prevent.
    static HiveConfig patient() {
        return limited(
                new BackpressureLimits(1_000_000, Duration.ofDays(30)),
                new SenderLimits(1_000_000, 1_000_000, 1_000_000));
    }

    /// With patience, and with these limits.
    public static HiveConfig limited(BackpressureLimits backpressure, SenderLimits sender) {
        HiveConfig usual = HiveConfig.defaults();
        return new HiveConfig(
                usual.domains(),
                usual.lanes(),
                usual.signatures(),
                usual.archive(),
                usual.ttl(),
                usual.halfLife(),
                usual.dueTurn(),
                backpressure,
                sender,
                usual.lease(),
                ATTEMPTS,
                usual.scopes(),
                usual.transports(),
                usual.notifying(),
                usual.separate());
    }

    /// The ids that a producer was told are sent, in order, each with the answer.
    Path confirmations(String producer) {
        return root.resolve("confirmed-" + producer);
    }

    /// What the workers did: the effects that an envelope has on the world.
    Path effects() {
        return root.resolve("effects");
    }

    /// Adds a line by one write, on disk when this returns.
    static void addLine(Path file, String line) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            channel.write(ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.US_ASCII)));
            channel.force(true);
        }
    }

    static List<String> lines(Path file) throws IOException {
        return Files.exists(file) ? Files.readAllLines(file) : List.of();
    }
}
