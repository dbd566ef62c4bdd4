package dev.pheromone.cli;

import dev.pheromone.SendResult;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.config.Secrets;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.Priority;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.file.FileTransport;
import dev.pheromone.file.setup.HiveRoot;
import dev.pheromone.file.setup.HiveSetup;
import dev.pheromone.lock.LockFiles;
import dev.pheromone.rse.Cursor;
import dev.pheromone.rse.RseEntry;
import dev.pheromone.rse.RseReading;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// A hive that many processes send to and work in, and the records they leave beside it.
record SoakHive(Path root) {

    static final Domain CODE = Domain.parse("code");

    /// An id and the end of its line.
    private static final int EFFECT_BYTES = 27;

    /// A hive in which senders are not held back: what is tested is that nothing is lost.
    static SoakHive make(Path root) throws Exception {
        return make(root, 1_000_000);
    }

    /// @param depth from how many waiting on an inbox counts as too full
    static SoakHive make(Path root, int depth) throws Exception {
        HiveSetup.init(root, Address.parse("user://you"), HiveSetup.OnUnfitVolume.ACCEPT);
        Files.writeString(
                root.resolve(".deia/hive.yaml"),
                """
                format: 1
                attempts: 30
                sender: {waiting: 1000000, rate: 1000000/m, p0: 1000000/m}
                backpressure: {depth: %d, oldest_age: 30d}
                """
                        .formatted(depth));
        Files.createDirectories(root.resolve("effects"));
        return new SoakHive(root.toRealPath());
    }

    FileTransport open(String actor, InstantSource clock) throws Exception {
        HiveLayout layout = HiveRoot.at(root);
        return FileTransport.open(
                layout, new LockFiles(layout), Actor.parse(actor), clock, Secrets.none());
    }

    /// An envelope whose body can be told from its topic, so that a torn one would show.
    static Envelope mail(String from, int number, InstantSource clock) {
        return mail(from, number, Priority.P2, clock);
    }

    static Envelope mail(String from, int number, Priority priority, InstantSource clock) {
        String topic = from + " " + number;
        return Envelope.draft(Actor.parse(from), List.of(CODE.address()), Lane.CODE, topic)
                .ts(clock.instant())
                .ttl(Ttl.parse("30d"))
                .priority(priority)
                .body(body(topic))
                .seal();
    }

    static String body(String topic) {
        return (topic + "\n").repeat(20);
    }

    static boolean isWhole(Envelope envelope) {
        return envelope.hashMatches() && envelope.bodyText().equals(body(envelope.topic()));
    }

    static void send(FileTransport transport, Envelope envelope)
            throws IOException, NoSuchInboxException {
        SendResult result = transport.send(envelope).copies().getFirst().result();
        if (!(result instanceof SendResult.Delivered)) {
            throw new IllegalStateException(envelope.topic() + ": " + result);
        }
    }

    /// Where a worker notes what it did, an id a line.
    Path effects(String worker) {
        return root.resolve("effects").resolve(worker);
    }

    /// How often each envelope had its effect.
    Map<String, Integer> effects() throws IOException {
        Map<String, Integer> counts = new HashMap<>();
        try (Stream<Path> files = Files.list(root.resolve("effects"))) {
            for (Path file : files.toList()) {
                for (String line : Files.readAllLines(file)) {
                    counts.merge(line, 1, Integer::sum);
                }
            }
        }
        return counts;
    }

    /// How many effects there were, told by the records' size: quick, also when there are many.
    long effectCount() throws IOException {
        long bytes = 0;
        try (Stream<Path> files = Files.list(root.resolve("effects"))) {
            for (Path file : files.toList()) {
                bytes += Files.size(file);
            }
        }
        return bytes / EFFECT_BYTES;
    }

    /// How many are in the archive as done.
    long archived() throws IOException {
        Path done = root.resolve(".deia/archive/code/done");
        if (!Files.exists(done)) {
            return 0;
        }
        try (Stream<Path> files = Files.walk(done)) {
            return files.filter(Files::isRegularFile).count();
        }
    }

    /// Lines of the event log that are no events.
    static List<RseEntry> badLines(FileTransport transport) throws IOException {
        List<RseEntry> bad = new ArrayList<>();
        try (RseReading reading = transport.log().read(Cursor.START)) {
            for (Optional<RseEntry> entry = reading.next();
                    entry.isPresent();
                    entry = reading.next()) {
                if (!(entry.get() instanceof RseEntry.Read)) {
                    bad.add(entry.get());
                }
            }
        }
        return bad;
    }

    /// One of our main classes in a small JVM.
    Process start(Class<?> main, String name, String... arguments) throws IOException {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                ProcessHandle.current().info().command().orElseThrow(),
                                "-XX:TieredStopAtLevel=1",
                                "-XX:+UseSerialGC",
                                "-Xmx32m",
                                "-cp",
                                System.getProperty("java.class.path"),
                                main.getName(),
                                root.toString(),
                                name));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(root.resolve(name + ".out").toFile()))
                .redirectError(
                        ProcessBuilder.Redirect.appendTo(root.resolve(name + ".err").toFile()))
                .start();
    }
}
