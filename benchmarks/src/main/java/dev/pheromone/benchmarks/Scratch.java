package dev.pheromone.benchmarks;

import dev.pheromone.address.Domain;
import dev.pheromone.config.MalformedYamlException;
import dev.pheromone.config.Secrets;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.file.FileTransport;
import dev.pheromone.lock.LockFiles;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/// Fresh folders on the disk that is measured, removed only when everything is over: after many
/// deletions some file systems create files several times as slowly for minutes.
final class Scratch implements AutoCloseable {

    /// Older than the shortest time to live would be expired already.
    private static final Duration AGE_MAX = Duration.ofMinutes(20);

    /// Who measures how fast one can send must not be told that it is too fast.
    private static final String NO_LIMITS =
            """
            backpressure: {depth: 1000000, oldest_age: 30d}
            sender: {waiting: 1000000, rate: 1000000/m, p0: 1000000/m}
            """;

    private static final Duration REST = Duration.ofSeconds(3);

    private final Path folder;
    private final Map<Integer, HiveLayout> crowded = new HashMap<>();

    private Scratch(Path folder) {
        this.folder = folder;
    }

    static Scratch in(Path parent) throws IOException {
        Files.createDirectories(parent);
        return new Scratch(Files.createTempDirectory(parent.toRealPath(), "run-"));
    }

    Path fresh(String name) throws IOException {
        return Files.createTempDirectory(folder, name + "-");
    }

    /// A hive with one empty inbox, at rest: for the first seconds of its life a hive's locks are
    /// looked for more closely.
    HiveLayout freshHive(String name, Domain inbox) throws IOException, InterruptedException {
        HiveLayout layout = new HiveLayout(fresh(name));
        Files.createDirectories(layout.inbox(inbox).resolve(".tmp"));
        Files.writeString(layout.configuration(), NO_LIMITS);
        Thread.sleep(REST);
        return layout;
    }

    /// Opens a hive as a program of ours does.
    static FileTransport open(HiveLayout layout) throws IOException, MalformedYamlException {
        return FileTransport.open(
                layout,
                new LockFiles(layout),
                SampleMail.SENDER,
                InstantSource.system(),
                Secrets.none());
    }

    /// A hive in whose inbox `waiting` envelopes wait. The same for all that ask, because it takes
    /// long to make: whoever changes it comes last.
    HiveLayout crowdedHive(int waiting) throws IOException, InterruptedException {
        HiveLayout known = crowded.get(waiting);
        if (known != null) {
            return known;
        }
        HiveLayout layout = freshHive("waiting-" + waiting, SampleMail.INBOX);
        SampleMail mail = new SampleMail();
        for (int i = 0; i < waiting; i++) {
            Envelope envelope = mail.next(AGE_MAX);
            Files.write(
                    layout.inbox(SampleMail.INBOX).resolve(envelope.id() + ".md"),
                    envelope.bytes());
        }
        crowded.put(waiting, layout);
        return layout;
    }

    @Override
    public void close() throws IOException {
        try (Stream<Path> paths = Files.walk(folder)) {
            paths.sorted(Comparator.reverseOrder()).forEach(Scratch::delete);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static void delete(Path path) {
        try {
            Files.delete(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
