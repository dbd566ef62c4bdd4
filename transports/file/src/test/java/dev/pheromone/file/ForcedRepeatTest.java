package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Inbox;
import dev.pheromone.Outcome;
import dev.pheromone.SendResult;
import dev.pheromone.Settlement;
import dev.pheromone.Settlement.Confirmation;
import dev.pheromone.State;
import dev.pheromone.disk.PassingDisk;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.file.admission.Mute;
import dev.pheromone.lock.LockFiles;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// Whoever is told that something is there already may rely on it, though the first who put it
/// there may not have come so far as to force it to the disk.
final class ForcedRepeatTest extends OneInbox {

    private final List<Path> forced = new ArrayList<>();
    private FileTransport second;
    private Envelope envelope;

    @BeforeEach
    void openOnceMore() {
        envelope = hive.mail().seal();
        second =
                hive.open(
                        new PassingDisk() {
                            @Override
                            public void syncNamesOfForced(Path folder) throws IOException {
                                disk.syncNamesOfForced(folder);
                                forced.add(folder);
                            }

                            @Override
                            public void sync(Path folder) throws IOException {
                                disk.sync(folder);
                                forced.add(folder);
                            }
                        });
    }

    @AfterEach
    void closeSecond() throws IOException {
        second.close();
    }

    private SendResult sendAgain() throws Exception {
        return second.send(envelope).copies().getFirst().result();
    }

    @Test
    void mailThatWaits() throws Exception {
        transport.send(envelope);
        assertThat(sendAgain()).isInstanceOf(SendResult.Duplicate.class);
        assertThat(forced).contains(hive.layout.inbox(TestHive.CODE));
    }

    @Test
    void mailThatSomebodyWorksOn() throws Exception {
        transport.send(envelope);
        TestHive.take(inbox);
        assertThat(sendAgain()).isInstanceOf(SendResult.Duplicate.class);
        assertThat(forced).contains(hive.layout.active(TestHive.CODE));
    }

    @Test
    void mailThatIsFinished() throws Exception {
        transport.send(envelope);
        inbox.settle(TestHive.take(inbox).token(), new Outcome.Done(""));
        assertThat(sendAgain()).isInstanceOf(SendResult.Duplicate.class);
        assertThat(forced).anyMatch(folder -> folder.startsWith(hive.layout.seen(TestHive.CODE)));
    }

    @Test
    void mailOfAMutedSender() throws Exception {
        Instant now = hive.clock.instant();
        transport
                .muted()
                .add(
                        new Mute(envelope.from(), now, now.plus(Duration.ofHours(1)), "", "you"),
                        "unproven");
        transport.send(envelope);
        assertThat(sendAgain()).isInstanceOf(SendResult.Parked.class);
        assertThat(forced).contains(hive.layout.parked(envelope.from(), TestHive.CODE));
    }

    @Test
    void mailForAnotherTransport() throws Exception {
        transport.remote().outbox("team").keep(envelope, "away");
        second.remote().outbox("team").keep(envelope, "away");
        assertThat(forced).contains(hive.layout.outbox("team"));
    }

    @Test
    void mailUnderALock() throws Exception {
        Files.createFile(LockFiles.hiveLock(hive.layout));
        transport.send(envelope);
        forced.clear();
        assertThat(sendAgain()).isInstanceOf(SendResult.Withheld.class);
        assertThat(forced).anyMatch(folder -> folder.startsWith(hive.layout.mirrorInboxes()));
    }

    @Test
    void anOutcomeUnderALock() throws Exception {
        transport.send(envelope);
        String token = TestHive.take(inbox).token();
        Inbox again = second.inbox(TestHive.CODE);
        Files.createFile(LockFiles.hiveLock(hive.layout));
        inbox.settle(token, new Outcome.Done(""));
        again.settle(token, new Outcome.Done(""));
        assertThat(forced).contains(hive.layout.mirrorOutcomes().resolve("code"));
    }

    @Test
    void anEndThatWasToldBefore() throws Exception {
        transport.send(envelope);
        String token = TestHive.take(inbox).token();
        inbox.settle(token, new Outcome.Done(""));
        assertThat(second.inbox(TestHive.CODE).settle(token, new Outcome.Done("")))
                .isEqualTo(new Settlement.Settled(State.DONE, Confirmation.ON_DISK));
        assertThat(forced).anyMatch(folder -> folder.startsWith(hive.layout.seen(TestHive.CODE)));
    }

    @Test
    void aFirstSendingForcesWhatItDidBefore() throws Exception {
        assertThat(sendAgain()).isInstanceOf(SendResult.Delivered.class);
        assertThat(forced.stream().filter(hive.layout.inbox(TestHive.CODE)::equals)).hasSize(1);
    }
}
