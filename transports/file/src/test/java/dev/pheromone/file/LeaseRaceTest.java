package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Claim;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.Settlement;
import dev.pheromone.State;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.InterposedDisk;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.disk.PassingDisk;
import dev.pheromone.disk.Stat;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.file.copy.SeenSet;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Optional;

/// Claims that end while their holder is about to finish, each at its worst moment.
final class LeaseRaceTest extends OneInbox {

    @Test
    void aClaimOnOldMailIsNotOverAtOnce() throws Exception {
        Envelope envelope = hive.mail().seal();
        hive.write(envelope, "old.md");
        Files.setLastModifiedTime(
                hive.layout.inbox(TestHive.CODE).resolve("old.md"),
                FileTime.from(hive.clock.instant().minus(Duration.ofDays(2))));
        Claim claim = TestHive.take(inbox);

        TestHive.assertNothing(inbox);
        assertThat(inbox.settle(claim.token(), new Outcome.Done(""))).isEqualTo(TestHive.DONE);
    }

    @Test
    void mailDatedAheadByItsFileCannotHoldItsLeaseForEver() throws Exception {
        hive.write(hive.mail().seal(), "ahead.md");
        Files.setLastModifiedTime(
                hive.layout.inbox(TestHive.CODE).resolve("ahead.md"),
                FileTime.from(hive.clock.instant().plus(Duration.ofDays(10))));
        Claim claim = TestHive.take(inbox);
        hive.clock.advance(TestHive.LEASE.duration().plusMinutes(1));
        TestHive.assertNothing(inbox);

        assertThat(inbox.settle(claim.token(), new Outcome.Done("")))
                .isInstanceOf(Settlement.Lost.class);
    }

    @Test
    void aLeaseLostBetweenLookAndCommitCannotBeAcknowledged() throws Exception {
        transport.send(hive.mail().seal());
        Claim slow = TestHive.take(inbox);
        InterposedDisk disk =
                new InterposedDisk(
                        what -> what.startsWith("link") && what.contains("/seen/"),
                        () -> {
                            hive.clock.advance(TestHive.LEASE.duration().plusMinutes(1));
                            TestHive.assertNothing(inbox);
                        });
        try (FileTransport late = hive.open(disk)) {
            assertThat(late.inbox(TestHive.CODE).settle(slow.token(), new Outcome.Done("")))
                    .isInstanceOf(Settlement.Lost.class);
            assertThat(disk.isPlayed()).isTrue();
            assertThat(late.inbox(TestHive.CODE).settle(slow.token(), new Outcome.Done("")))
                    .isInstanceOf(Settlement.Lost.class);
        }
        hive.clock.advance(Duration.ofMinutes(1));
        assertThat(inbox.settle(TestHive.take(inbox).token(), new Outcome.Done("")))
                .isEqualTo(TestHive.DONE);
        assertThat(TestHive.states(transport)).containsExactly(State.DONE);
    }

    @Test
    void aRenewalAfterTheReaperSetOutCounts() throws Exception {
        transport.send(hive.mail().seal());
        Claim claim = TestHive.take(inbox);
        hive.clock.advance(TestHive.LEASE.duration());
        try (FileTransport reaping = hive.open(renewedJustBeforeItIsLookedAt(claim))) {
            TestHive.assertNothing(reaping.inbox(TestHive.CODE));
        }
        assertThat(inbox.settle(claim.token(), new Outcome.Done(""))).isEqualTo(TestHive.DONE);
    }

    private Disk renewedJustBeforeItIsLookedAt(Claim claim) {
        return new PassingDisk() {
            private boolean renewed;

            @Override
            public Optional<Stat> stat(Path path) throws IOException {
                if (!renewed && path.endsWith(claim.token() + ".md")) {
                    renewed = true;
                    hive.clock.advance(Duration.ofSeconds(1));
                    assertThat(inbox.renew(claim.token())).isInstanceOf(Settlement.Renewed.class);
                }
                return disk.stat(path);
            }
        };
    }

    @Test
    void aLateDoneIsNoneOnceAnotherWorkerHasFinished() throws Exception {
        transport.send(hive.mail().seal());
        Claim slow = TestHive.take(inbox);
        Disk disk =
                new PassingDisk() {
                    private boolean reaped;

                    @Override
                    public Appender openAppend(Path file) throws IOException {
                        if (!reaped && file.startsWith(hive.layout.histories(TestHive.CODE))) {
                            reaped = true;
                            hive.clock.advance(TestHive.LEASE.duration().plusMinutes(1));
                            TestHive.assertNothing(inbox);
                        }
                        return disk.openAppend(file);
                    }
                };
        try (FileTransport late = hive.open(disk)) {
            assertThat(late.inbox(TestHive.CODE).settle(slow.token(), new Outcome.Done("")))
                    .isInstanceOf(Settlement.Lost.class);
        }
        hive.clock.advance(Duration.ofMinutes(1));
        Claim next = TestHive.take(inbox);
        assertThat(next.attempt()).isEqualTo(2);
        assertThat(inbox.settle(next.token(), new Outcome.Done(""))).isEqualTo(TestHive.DONE);
        assertThat(inbox.settle(next.token(), new Outcome.Done(""))).isEqualTo(TestHive.DONE);
        assertThat(inbox.settle(slow.token(), new Outcome.Done("")))
                .isInstanceOf(Settlement.Lost.class);
    }

    @Test
    void aReaperThatComesJustAfterTheCommitFinishesInsteadOfReturning() throws Exception {
        transport.send(hive.mail().seal());
        Claim claim = TestHive.take(inbox);
        InterposedDisk disk =
                new InterposedDisk(
                        what -> what.startsWith("rename") && what.contains("/.return/"),
                        // The holder gets as far as the commit, and dies.
                        () ->
                                new SeenSet(new LocalDisk(), hive.layout)
                                        .commit(
                                                TestHive.CODE,
                                                claim.envelope().id(),
                                                claim.envelope().hash(),
                                                hive.layout
                                                        .active(TestHive.CODE)
                                                        .resolve(claim.token() + ".md")));
        hive.clock.advance(TestHive.LEASE.duration().plusMinutes(1));
        try (FileTransport reaping = hive.open(disk)) {
            TestHive.assertNothing(reaping.inbox(TestHive.CODE));
            assertThat(disk.isPlayed()).isTrue();
        }
        hive.clock.advance(Duration.ofMinutes(30));
        TestHive.assertNothing(inbox);
        assertThat(TestHive.states(transport)).containsExactly(State.DONE);
    }

    @Test
    void anAttendedClaimEndsWithItsProcess() throws Exception {
        transport.send(hive.mail().seal());
        Claim claim;
        try (FileTransport worker = hive.open()) {
            claim =
                    ((Selection.Taken)
                                    worker.inbox(TestHive.CODE)
                                            .select(
                                                    TestHive.WORKER,
                                                    Lease.attended(Duration.ofMinutes(1))))
                            .claim();
            TestHive.assertNothing(inbox);
            assertThat(transport.catalog().active(TestHive.CODE)).hasSize(1);
        }
        TestHive.assertNothing(inbox);
        assertThat(TestHive.states(transport)).containsExactly(State.WAITING);
        assertThat(inbox.settle(claim.token(), new Outcome.Done("")))
                .isInstanceOf(Settlement.Lost.class);
    }

    @Test
    void twoReapersReturnAClaimOnce() throws Exception {
        transport.send(hive.mail().seal());
        TestHive.take(inbox);
        InterposedDisk disk =
                new InterposedDisk(
                        what -> what.startsWith("rename") && what.contains("/.return/"),
                        () -> TestHive.assertNothing(inbox));
        hive.clock.advance(TestHive.LEASE.duration().plusMinutes(1));
        try (FileTransport second = hive.open(disk)) {
            TestHive.assertNothing(second.inbox(TestHive.CODE));
            assertThat(disk.isPlayed()).isTrue();
        }
        assertThat(hive.events("rsm_envelope_return")).hasSize(1);
        hive.clock.advance(Duration.ofMinutes(1));
        assertThat(TestHive.take(inbox).attempt()).isEqualTo(2);
    }
}
