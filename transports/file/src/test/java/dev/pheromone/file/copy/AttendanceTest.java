package dev.pheromone.file.copy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Lease;
import dev.pheromone.Selection;
import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.InterposedDisk;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.file.FileTransport;
import dev.pheromone.file.TestHive;
import dev.pheromone.file.upkeep.Catalog;
import dev.pheromone.file.upkeep.Recovery;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/// The lock files of workers, while recovery clears away those of the dead.
final class AttendanceTest {

    private static final Domain CODE = Domain.parse("code");
    private static final Actor WORKER = Actor.parse("claude-7f3a");
    private static final Lease ATTENDED = Lease.attended(Duration.ofMinutes(1));

    @TempDir Path root;
    private TestHive hive;

    @BeforeEach
    void open() throws IOException {
        hive = new TestHive(root);
    }

    @Test
    void aWorkerThatDiesInTheMiddleOfRecoveryLosesItsClaimsAtOnce() throws Exception {
        FileTransport worker = hive.open();
        worker.send(
                Envelope.draft(
                                Actor.parse("ada"),
                                List.of(Address.parse("queen://code")),
                                Lane.CODE,
                                "work")
                        .ts(hive.clock.instant())
                        .seal());
        assertThat(worker.inbox(CODE).select(WORKER, ATTENDED)).isInstanceOf(Selection.Taken.class);
        // The draft makes recovery stop for a moment, after it looked for claims of the dead and
        // before it looks for their lock files.
        Files.writeString(hive.layout.drafts(CODE).resolve("draft"), "");
        hive.clock.advance(Duration.ofMinutes(5));
        worker.inbox(CODE).renew(tokenOfTheClaim(worker));
        InterposedDisk disk = new InterposedDisk(what -> what.contains("/.tmp/"), worker::close);
        try (FileTransport recovering = hive.open(disk)) {
            recovering.upkeep().recover(Recovery.Extent.ALL);
            assertThat(disk.isPlayed()).isTrue();
            assertThat(recovering.catalog().active(CODE)).hasSize(1);

            assertThat(recovering.inbox(CODE).select(WORKER, ATTENDED))
                    .isEqualTo(new Selection.Nothing());
            assertThat(recovering.catalog().all(CODE))
                    .extracting(Catalog.Item::state)
                    .containsExactly(State.WAITING);
            recovering.upkeep().recover(Recovery.Extent.ALL);
            assertThat(hive.filesIn("state/.attendants")).isEmpty();
        }
    }

    private static String tokenOfTheClaim(FileTransport transport) throws IOException {
        return transport.catalog().active(CODE).getFirst().claim().token();
    }

    @Test
    void aLockFileThatIsClearedAwayJustAsItIsLockedIsNotUsed() throws Exception {
        LocalDisk local = new LocalDisk();
        AtomicBoolean cleared = new AtomicBoolean();
        Disk disk =
                (Disk)
                        Proxy.newProxyInstance(
                                Disk.class.getClassLoader(),
                                new Class<?>[] {Disk.class},
                                (proxy, method, arguments) -> {
                                    Object result = method.invoke(local, arguments);
                                    if (method.getName().equals("tryLock")
                                            && cleared.compareAndSet(false, true)) {
                                        Files.delete((Path) arguments[0]);
                                    }
                                    return result;
                                });
        try (Attendance attendance = new Attendance(disk, hive.layout)) {
            assertThat(hive.layout.attendants().resolve(attendance.name())).exists();
            assertThat(cleared).isTrue();
        }
    }
}
