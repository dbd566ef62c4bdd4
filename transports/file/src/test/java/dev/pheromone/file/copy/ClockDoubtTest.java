package dev.pheromone.file.copy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Outcome;
import dev.pheromone.State;
import dev.pheromone.file.FileTransport;
import dev.pheromone.file.TestHive;
import dev.pheromone.file.setup.Finding;
import dev.pheromone.file.upkeep.Recovery;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;

/// A clock that is far past the hive's last sign of life ends no mail, until it has proved itself.
final class ClockDoubtTest {

    private static final Duration MONTH = Duration.ofDays(30);
    private static final Duration SHORT = Duration.ofMinutes(1);

    @TempDir private Path root;
    private TestHive hive;

    @BeforeEach
    void send() throws Exception {
        hive = new TestHive(root);
        try (FileTransport transport = hive.open()) {
            transport.send(hive.mail().seal());
        }
    }

    /// Somebody looks for work; returns what is known of the one copy.
    private State look() throws Exception {
        try (FileTransport transport = hive.openReally()) {
            TestHive.assertNothing(transport.inbox(TestHive.CODE));
            return TestHive.states(transport).getFirst();
        }
    }

    /// The log is as old as the hive's last step, by the file system's clock.
    private void lastSignOfLife(Instant at) throws IOException {
        Files.setLastModifiedTime(hive.layout.log(), FileTime.from(at));
    }

    /// The doubt was written down while the disk had the same clock as the process.
    private void theDiskAgrees() throws IOException {
        Files.setLastModifiedTime(hive.layout.clockDoubt(), FileTime.from(hive.clock.instant()));
    }

    @Test
    void aLeapOfAMonthEndsNothingAtOnce() throws Exception {
        hive.clock.advance(MONTH);
        assertThat(look()).isEqualTo(State.WAITING);
        hive.clock.advance(SHORT);
        assertThat(look()).isEqualTo(State.WAITING);
        try (FileTransport transport = hive.openReally()) {
            TestHive.assertNothing(transport.inbox(TestHive.CODE));
            assertThat(transport.problems()).anyMatch(problem -> problem.startsWith("the clock"));
            assertThat(transport.upkeep().recoverable(Recovery.Extent.ALL))
                    .extracting(Finding::thing)
                    .contains("clock");
        }
    }

    @Test
    void aClockThatIsSetRightAgainHasEndedNothing() throws Exception {
        hive.clock.advance(MONTH);
        assertThat(look()).isEqualTo(State.WAITING);

        hive.clock.advance(MONTH.negated().plus(SHORT));
        try (FileTransport transport = hive.openReally()) {
            assertThat(TestHive.take(transport.inbox(TestHive.CODE)).attempt()).isEqualTo(1);
        }
        assertThat(hive.layout.clockDoubt()).doesNotExist();
    }

    @Test
    void aHiveThatNobodyUsedForAMonthIsAsBeforeAfterTenMinutes() throws Exception {
        hive.clock.advance(MONTH);
        assertThat(look()).isEqualTo(State.WAITING);
        theDiskAgrees();

        hive.clock.advance(ClockDoubt.PROOF);
        assertThat(look()).isEqualTo(State.EXPIRED);
        lastSignOfLife(hive.clock.instant());
        hive.clock.advance(SHORT);
        assertThat(look()).isEqualTo(State.EXPIRED);
        assertThat(hive.layout.clockDoubt()).doesNotExist();
    }

    @Test
    void signsOfLifeByAWrongClockDoNotVouchForIt() throws Exception {
        hive.clock.advance(MONTH);
        try (FileTransport transport = hive.openReally()) {
            assertThat(TestHive.states(transport)).containsExactly(State.WAITING);
        }
        lastSignOfLife(hive.clock.instant());
        assertThat(look()).isEqualTo(State.WAITING);
    }

    @Test
    void aProcessWithAnotherClockThanTheDiskIsDoubtedForAsLongAsTheHiveLives() throws Exception {
        hive.clock.advance(MONTH);
        assertThat(look()).isEqualTo(State.WAITING);
        theDiskAgrees();

        hive.clock.advance(ClockDoubt.PROOF.multipliedBy(2));
        // Somebody else works, and the kernel dates it.
        lastSignOfLife(Instant.now().plus(SHORT));
        assertThat(look()).isEqualTo(State.WAITING);
    }

    @Test
    void aProcessWithAnotherClockThanTheDiskIsDoubtedInAQuietHiveToo() throws Exception {
        hive.clock.advance(MONTH);
        assertThat(look()).isEqualTo(State.WAITING);

        hive.clock.advance(ClockDoubt.PROOF.multipliedBy(2));
        assertThat(look()).isEqualTo(State.WAITING);
    }

    @Test
    void theDoubtSaysHowFarTheClockIsAheadOfWhat() throws Exception {
        hive.clock.advance(MONTH);
        assertThat(doubt()).startsWith("the clock of this program is 30d ahead of the disk's: ");

        theDiskAgrees();
        // By now the log was written to by the clock that is doubted.
        lastSignOfLife(hive.clock.instant());
        assertThat(doubt()).startsWith("the clock is 30d ahead of the last sign of life here, ");
    }

    private String doubt() throws Exception {
        try (FileTransport transport = hive.openReally()) {
            assertThat(transport.upkeep().keepsExpired()).isTrue();
            return transport.problems().getFirst();
        }
    }

    @Test
    void aLeaseOfAClockThatWasAheadEndsInTime() throws Exception {
        Duration ahead = Duration.ofHours(5);
        hive.clock.advance(ahead);
        try (FileTransport transport = hive.openReally()) {
            var _ = TestHive.take(transport.inbox(TestHive.CODE));
        }
        hive.clock.advance(ahead.negated().plus(TestHive.LEASE.duration()).minusSeconds(20));
        try (FileTransport transport = hive.openReally()) {
            TestHive.assertNothing(transport.inbox(TestHive.CODE));
            hive.clock.advance(TestHive.LEASE.duration());
            TestHive.assertNothing(transport.inbox(TestHive.CODE));
            assertThat(TestHive.states(transport)).containsExactly(State.WAITING);
        }
    }

    @Test
    void whatIsGivenBackByADoubtedClockWaits() throws Exception {
        String token;
        try (FileTransport transport = hive.openReally()) {
            token = TestHive.take(transport.inbox(TestHive.CODE)).token();
        }
        hive.clock.advance(MONTH);
        try (FileTransport transport = hive.openReally()) {
            transport.inbox(TestHive.CODE).settle(token, new Outcome.Failed(""));
            assertThat(TestHive.states(transport)).containsExactly(State.WAITING);
        }
    }

    @Test
    void aDayWithoutALineIsNotALeap() throws Exception {
        hive.clock.advance(ClockDoubt.LEAP_MAX.minus(SHORT));
        try (FileTransport transport = hive.openReally()) {
            transport.inbox(TestHive.CODE);
        }
        assertThat(hive.layout.clockDoubt()).doesNotExist();
    }
}
