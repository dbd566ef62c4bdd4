package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.Claim;
import dev.pheromone.Inbox;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.Settlement;
import dev.pheromone.State;
import dev.pheromone.disk.PassingDisk;
import dev.pheromone.envelope.Priority;
import dev.pheromone.file.upkeep.Recovery;
import dev.pheromone.rse.RseEvent;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// Histories that can't be written: on a full disk, or because another user made them.
class UncountedWorkTest extends OneInbox {

    /// A disk on which files with any of these in their path don't grow any more.
    private static final class NoHistories extends PassingDisk {

        private final List<String> which;

        NoHistories(String... which) {
            this.which = List.of(which);
        }

        @Override
        public Appender openAppend(Path file) throws IOException {
            if (which.stream().anyMatch(file.toString()::contains)) {
                throw new IOException("No space left on device");
            }
            return disk.openAppend(file);
        }
    }

    @Test
    void whatCannotBeCountedIsNotBegun() throws Exception {
        transport.send(hive.mail().seal());
        try (FileTransport full = hive.open(new NoHistories("/status/"))) {
            Inbox there = full.inbox(TestHive.CODE);
            assertThatThrownBy(() -> there.select(TestHive.WORKER, TestHive.LEASE))
                    .hasMessageContaining("No space left on device");
        }
        assertThat(TestHive.take(inbox).attempt()).isEqualTo(1);
    }

    @Test
    void oneHistoryThatCannotBeWrittenKeepsNoOtherMailBack() throws Exception {
        var first = hive.mail().priority(Priority.P0).seal();
        var second = hive.mail().priority(Priority.P2).seal();
        transport.send(first);
        transport.send(second);
        try (FileTransport partly = hive.open(new NoHistories(first.id().text() + ".jsonl"))) {
            Inbox there = partly.inbox(TestHive.CODE);
            assertThat(TestHive.take(there).envelope().id()).isEqualTo(second.id());
            assertThatThrownBy(() -> there.select(TestHive.WORKER, TestHive.LEASE))
                    .hasMessageContaining("No space left on device");
        }
    }

    @Test
    void whatIsDoneIsDoneWithoutAHistory() throws Exception {
        transport.send(hive.mail().seal());
        Claim claim = TestHive.take(inbox);
        try (FileTransport full = hive.open(new NoHistories("/status/"))) {
            assertThat(full.inbox(TestHive.CODE).settle(claim.token(), new Outcome.Done("")))
                    .isEqualTo(TestHive.DONE);
        }
        assertThat(TestHive.states(transport)).containsExactly(State.DONE);
    }

    @Test
    void whatWasDoneWithoutAHistoryAndALogIsToldOfLater() throws Exception {
        transport.send(hive.mail().seal());
        Claim claim = TestHive.take(inbox);
        try (FileTransport full = hive.open(new NoHistories("/status/", "rse.jsonl"))) {
            assertThat(full.inbox(TestHive.CODE).settle(claim.token(), new Outcome.Done("")))
                    .isInstanceOf(Settlement.Settled.class);
        }
        assertThat(hive.events("worker_ack")).isEmpty();
        hive.clock.advance(Duration.ofMinutes(5));
        transport.upkeep().recover(Recovery.Extent.ALL);
        assertThat(hive.events("worker_ack"))
                .singleElement()
                .extracting(RseEvent::actor)
                .isEqualTo(TestHive.WORKER.toString());
    }

    /// As a power cut can leave it, which took the end of a history and no line of the log.
    @Test
    void workOfAClaimThatTheHistoryLacksIsToldToBeDoneOnce() throws Exception {
        var sent = hive.mail().seal();
        transport.send(sent);
        inbox.settle(TestHive.take(inbox).token(), new Outcome.Failed("no"));
        Path history = hive.layout.history(TestHive.CODE, sent.id().text());
        byte[] firstAttempt = Files.readAllBytes(history);
        hive.clock.advance(Duration.ofMinutes(1));
        inbox.settle(TestHive.take(inbox).token(), new Outcome.Done(""));
        Files.write(history, firstAttempt);
        hive.clock.advance(Duration.ofMinutes(5));

        transport.upkeep().recover(Recovery.Extent.ALL);

        assertThat(hive.events("worker_ack"))
                .extracting(event -> event.data().text("status"))
                .containsExactly("error", "done");
    }

    @Test
    void withoutItsCounterMailIsTakenAllTheSame() throws Exception {
        transport.send(hive.mail().seal());
        Path picks = hive.layout.state(TestHive.CODE).resolve("picks");
        Files.createDirectories(picks.resolve("a folder"));

        assertThat(inbox.select(TestHive.WORKER, TestHive.LEASE))
                .isInstanceOf(Selection.Taken.class);
    }

    @Test
    void underALockOnItsHistoryMailStaysWhereItIs() throws Exception {
        var sent = hive.mail().seal();
        transport.send(sent);
        Path list = Files.createDirectories(hive.layout.hive().resolve("do-not-read"));
        Files.writeString(list.resolve("list.txt"), ".deia/status/**\n");
        try (FileTransport locked = hive.open()) {
            assertThat(locked.inbox(TestHive.CODE).select(TestHive.WORKER, TestHive.LEASE))
                    .isInstanceOf(Selection.Withheld.class);
        }
        assertThat(hive.layout.mail(TestHive.CODE, sent.id())).exists();
    }

    @Test
    void underALockOnItsHistoryAClaimIsNotHalfGivenBack() throws Exception {
        transport.send(hive.mail().seal());
        String token = TestHive.take(inbox).token();
        Path list = Files.createDirectories(hive.layout.hive().resolve("do-not-alter"));
        Files.writeString(list.resolve("list.txt"), ".deia/status/**\n");
        hive.clock.advance(Duration.ofHours(1));
        try (FileTransport locked = hive.open()) {
            assertThat(locked.inbox(TestHive.CODE).select(TestHive.WORKER, TestHive.LEASE))
                    .isInstanceOf(Selection.Withheld.class);
        }
        assertThat(hive.layout.active(TestHive.CODE).resolve(token + ".md")).exists();
    }
}
