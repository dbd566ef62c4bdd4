package dev.pheromone.file.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Claim;
import dev.pheromone.Inbox;
import dev.pheromone.Outcome;
import dev.pheromone.Settlement;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.file.FileTransport;
import dev.pheromone.file.TestHive;
import dev.pheromone.file.upkeep.Checkup;
import dev.pheromone.guard.PolicyGuard;
import dev.pheromone.lock.LockFiles;
import dev.pheromone.lock.LockLists;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;

/// Nobody can renew a lease under a lock: however it is lifted, each lease begins anew.
final class ReaperLockTest {

    @TempDir private Path root;
    private TestHive hive;
    private FileTransport transport;
    private Inbox inbox;
    private Claim claim;
    private Path lists;

    @BeforeEach
    void takeSomething() throws Exception {
        hive = new TestHive(root);
        lists = Files.createDirectory(hive.layout.hive().resolve("do-not-erase"));
        transport = hive.open();
        inbox = transport.inbox(TestHive.CODE);
        transport.send(hive.mail().seal());
        claim = TestHive.take(inbox);
        hive.clock.advance(TestHive.LEASE.duration().multipliedBy(3));
    }

    @AfterEach
    void close() throws IOException {
        transport.close();
    }

    private void assertHeldForOneLease() throws IOException {
        TestHive.assertNothing(inbox);
        hive.clock.advance(TestHive.LEASE.duration().minusSeconds(1));
        TestHive.assertNothing(inbox);
        assertThat(inbox.settle(claim.token(), new Outcome.Done(""))).isEqualTo(TestHive.DONE);
    }

    @Test
    void aListWasChangedInPlace() throws IOException {
        Path list = Files.writeString(lists.resolve("a.yaml"), "- docs/**\n");
        Files.setLastModifiedTime(list, FileTime.from(hive.clock.instant()));

        assertHeldForOneLease();
    }

    @Test
    void anEntryEnded() throws IOException {
        Instant end = hive.clock.instant().minus(Duration.ofMillis(1));
        Files.writeString(
                lists.resolve("a.yaml"), "- path_pattern: docs/**\n  expires: %s\n".formatted(end));

        assertHeldForOneLease();
    }

    @Test
    void theOutsideGuardSaidNo() throws IOException {
        Path tools = Files.createDirectory(hive.layout.hive().resolve("tools"));
        Path guard = Files.writeString(tools.resolve("policy_guard.sh"), "exit 1\n");
        LockFiles locks = new LockFiles(new LocalDisk(), hive.layout, hive.clock);
        assertThat(locks.isHidden(hive.layout.log())).isTrue();
        Files.delete(guard);

        assertHeldForOneLease();
    }

    @Test
    void theHiveWasOnlyCheckedUp() throws IOException {
        Instant before = modified();
        assertThat(Checkup.run(hive.layout, PolicyGuard.open(), hive.clock.instant())).isNotEmpty();

        assertThat(modified()).isEqualTo(before);
        inbox.select(TestHive.WORKER, TestHive.LEASE);
        assertThat(inbox.settle(claim.token(), new Outcome.Done("")))
                .isInstanceOf(Settlement.Lost.class);
    }

    /// When a name last came or went where locks lie.
    private Instant modified() throws IOException {
        Instant latest = Instant.MIN;
        for (Path folder : LockLists.folders(hive.layout)) {
            if (Files.exists(folder)) {
                Instant modified = Files.getLastModifiedTime(folder).toInstant();
                latest = modified.isAfter(latest) ? modified : latest;
            }
        }
        return latest;
    }

    @Test
    void thereWasNoLock() throws IOException {
        inbox.select(TestHive.WORKER, TestHive.LEASE);

        assertThat(inbox.settle(claim.token(), new Outcome.Done("")))
                .isInstanceOf(Settlement.Lost.class);
    }
}
