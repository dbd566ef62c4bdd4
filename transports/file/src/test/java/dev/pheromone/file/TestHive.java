package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Claim;
import dev.pheromone.HiveConfig;
import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Selection;
import dev.pheromone.Settlement;
import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.config.MalformedYamlException;
import dev.pheromone.config.Secrets;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.GuardedFiles;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeDraft;
import dev.pheromone.file.copy.FileLimits;
import dev.pheromone.file.log.JsonlRseLog;
import dev.pheromone.file.upkeep.Catalog;
import dev.pheromone.guard.PolicyGuard;
import dev.pheromone.lock.Gate;
import dev.pheromone.lock.LockFiles;
import dev.pheromone.rse.Cursor;
import dev.pheromone.rse.RseEntry;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseReading;
import dev.pheromone.testkit.FakeClock;
import dev.pheromone.testkit.TransportContract;
import dev.pheromone.trust.TrustList;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// A real hive in a temporary folder, with a clock that the test moves.
public final class TestHive {

    public static final Actor SELF = Actor.parse("tester");
    public static final Actor WORKER = Actor.parse("claude-7f3a");
    public static final Domain CODE = Domain.parse("code");
    public static final Lease LEASE = Lease.unattended(Duration.ofMinutes(1));
    public static final Settlement DONE =
            new Settlement.Settled(State.DONE, Settlement.Confirmation.ON_DISK);

    public final HiveLayout layout;
    public final FakeClock clock;

    /// The delays that senders were made to wait; nobody really does.
    public final List<Duration> delays = new ArrayList<>();

    public TestHive(Path root) throws IOException {
        this(root, Instant.now());
    }

    /// Files keep the real time: a test that wants them to be younger than its clock starts that in
    /// the past.
    public TestHive(Path root, Instant start) throws IOException {
        this(root, new FakeClock(start));
    }

    public TestHive(Path root, FakeClock clock) throws IOException {
        this.clock = clock;
        layout = new HiveLayout(root.toRealPath());
        for (String inbox : List.of("code", "docs", "user-ada")) {
            Files.createDirectories(layout.drafts(Domain.parse(inbox)));
        }
        // As init does: on a full disk nobody can make it any more.
        Path gate = Files.createDirectories(layout.embargo()).resolve(Gate.NAME);
        if (!Files.exists(gate)) {
            Files.createFile(gate);
        }
    }

    public FileTransport open() {
        return open(new LocalDisk());
    }

    public FileTransport open(Disk disk) {
        return open(disk, HiveConfig.defaults(), TrustList.empty(), FileLimits.defaults());
    }

    public FileTransport open(Disk disk, HiveConfig config, TrustList trust, FileLimits limits) {
        GuardedFiles files = new GuardedFiles(disk, new LockFiles(layout));
        JsonlRseLog log = new JsonlRseLog(files, layout.log());
        return new FileTransport(
                new HiveParts(files, layout, config, trust, limits, log, SELF, clock),
                log,
                delays::add,
                TransportContract.CHECK);
    }

    /// As a program opens it, which reads the configuration first.
    public FileTransport openReally() throws IOException, MalformedYamlException {
        return FileTransport.open(layout, new LockFiles(layout), SELF, clock, Secrets.none());
    }

    public GuardedFiles files() {
        return new GuardedFiles(new LocalDisk(), new LockFiles(layout));
    }

    /// A letter to `queen://code`, sent now.
    public EnvelopeDraft mail() {
        return mail(List.of(Address.parse("queen://code")));
    }

    public EnvelopeDraft mail(List<Address> to) {
        return Envelope.draft(Actor.parse("ada"), to, Lane.CODE, "test")
                .ts(clock.instant())
                .body("Run.\n");
    }

    /// Puts a file into the inbox as a program that knows nothing of us would.
    public void write(Envelope envelope, String name) throws IOException {
        Files.write(layout.inbox(CODE).resolve(name), envelope.bytes());
    }

    /// Counts so many sends of ada's to `queen://code` just now, of which none waits any more.
    public void countAsSent(int count) throws IOException {
        Path ledger = Files.createDirectories(layout.senders(CODE)).resolve("ada");
        for (int i = 0; i < count; i++) {
            String line = clock.instant().toEpochMilli() + " " + mail().seal().id() + " P2 0\n";
            Files.writeString(ledger, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        }
    }

    /// Takes the next envelope, which must be there.
    public static Claim take(Inbox inbox) throws IOException {
        Selection selection = inbox.select(WORKER, LEASE);
        assertThat(selection).isInstanceOf(Selection.Taken.class);
        return ((Selection.Taken) selection).claim();
    }

    public static void assertNothing(Inbox inbox) throws IOException {
        assertThat(inbox.select(WORKER, LEASE)).isEqualTo(new Selection.Nothing());
    }

    /// Where the copies in the inbox `code` have got to.
    public static List<State> states(FileTransport transport) throws IOException {
        return transport.catalog().all(CODE).stream().map(Catalog.Item::state).sorted().toList();
    }

    /// Every event in the log; fails on a line that is none.
    public List<RseEvent> events() throws IOException {
        List<RseEvent> events = new ArrayList<>();
        assertThat(readLog(events)).as("bad lines in the log").isEmpty();
        return events;
    }

    /// Adds every event in the log to `events`; returns the lines that are none.
    public List<RseEntry> readLog(List<RseEvent> events) throws IOException {
        List<RseEntry> bad = new ArrayList<>();
        try (JsonlRseLog log = JsonlRseLog.of(layout, PolicyGuard.open());
                RseReading reading = log.read(Cursor.START)) {
            for (Optional<RseEntry> entry = reading.next();
                    entry.isPresent();
                    entry = reading.next()) {
                if (entry.get() instanceof RseEntry.Read read) {
                    events.add(read.event());
                } else {
                    bad.add(entry.get());
                }
            }
        }
        return bad;
    }

    public List<RseEvent> events(String type) throws IOException {
        return events().stream().filter(event -> event.type().equals(type)).toList();
    }

    /// The files below a folder of the hive, relative to the root.
    public List<String> filesIn(String folder) throws IOException {
        Path start = layout.hive().resolve(folder);
        if (!Files.exists(start)) {
            return List.of();
        }
        try (Stream<Path> paths = Files.walk(start)) {
            return paths.filter(path -> !Files.isDirectory(path))
                    // Kept headers are nobody's mail.
                    .filter(path -> !path.endsWith(".index/headers"))
                    .map(layout::nameOf)
                    .sorted()
                    .toList();
        }
    }
}
