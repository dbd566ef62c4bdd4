package dev.pheromone.file.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Claim;
import dev.pheromone.Outcome;
import dev.pheromone.Settlement;
import dev.pheromone.Settlement.Confirmation;
import dev.pheromone.State;
import dev.pheromone.disk.FaultyDisk;
import dev.pheromone.disk.FaultyDisk.Fault;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.file.FileTransport;
import dev.pheromone.file.OneInbox;
import dev.pheromone.file.TestHive;
import dev.pheromone.file.copy.Archive;
import dev.pheromone.file.copy.SeenSet;
import dev.pheromone.file.upkeep.Recovery;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.text.Json;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;

/// The ways out of a claim, and what the log says of them.
class SettleTest extends OneInbox {

    private static final int STEPS_MAX = 100;
    private static final Settlement WAITING =
            new Settlement.Settled(State.WAITING, Confirmation.ON_DISK);

    @Test
    void ackNamesWhoSaysSoAndNotWhoseClaimItWas() throws Exception {
        transport.send(hive.mail().seal());
        assertThat(inbox.settle(TestHive.take(inbox).token(), new Outcome.Done("")))
                .isEqualTo(TestHive.DONE);

        assertThat(actors("worker_ack")).containsExactly(TestHive.SELF.name());
        assertThat(actors("worker_spawn")).containsExactly(TestHive.WORKER.name());
    }

    @Test
    void ackOfAFailureNamesWhoSaysSo() throws Exception {
        transport.send(hive.mail().seal());
        inbox.settle(TestHive.take(inbox).token(), new Outcome.Failed("no"));

        assertThat(actors("worker_ack")).containsExactly(TestHive.SELF.name());
    }

    @Test
    void ackThatRecoveryAddsNamesWhoSaidSo() throws Exception {
        transport.send(hive.mail().seal());
        inbox.settle(TestHive.take(inbox).token(), new Outcome.Done(""));
        transport.close();
        Files.delete(hive.layout.log());
        hive.clock.advance(Duration.ofMinutes(2));

        try (FileTransport later = hive.open()) {
            later.upkeep().recover(Recovery.Extent.ALL);
        }
        assertThat(actors("worker_ack")).containsExactly(TestHive.SELF.name());
        assertThat(actors("queen_select")).containsExactly(TestHive.WORKER.name());
    }

    /// Wherever it dies: once the holder can't finish any more, the mail comes back as released.
    @Test
    void releaseWhoseProcessDiesIsNoFailure() throws Exception {
        int begun = 0;
        for (int step = 0; step < STEPS_MAX; step++) {
            TestHive other = new TestHive(Files.createDirectory(root.resolve("at-" + step)));
            try (FileTransport sender = other.open()) {
                sender.send(other.mail().seal());
                String token = TestHive.take(sender.inbox(TestHive.CODE)).token();
                FaultyDisk disk = new FaultyDisk(Fault.DIES, step);
                release(other.open(disk), token);
                if (disk.hit().isEmpty()) {
                    assertThat(begun).as("deaths after the first step").isGreaterThan(2);
                    return;
                }
                if (sender.catalog().active(TestHive.CODE).isEmpty()) {
                    begun++;
                    other.clock.advance(Duration.ofMinutes(5));
                    assertThat(TestHive.take(sender.inbox(TestHive.CODE)).attempt())
                            .as("attempt after a death in " + disk.hit())
                            .isEqualTo(1);
                }
            }
        }
        throw new AssertionError("more than " + STEPS_MAX + " steps");
    }

    private static void release(FileTransport transport, String token) throws Exception {
        try (transport) {
            transport.inbox(TestHive.CODE).settle(token, new Outcome.Released(""));
        } catch (FaultyDisk.Death death) {
            // As kill -9 would: nothing more happens here.
        }
    }

    @Test
    void failureWhoseProcessDiesIsToldAsAFailure() throws Exception {
        transport.send(hive.mail().seal());
        Path active = hive.layout.active(TestHive.CODE);
        String token = TestHive.take(inbox).token();
        Files.createDirectories(hive.layout.returning(TestHive.CODE));
        Files.move(
                active.resolve(token + ".md"),
                hive.layout.returning(TestHive.CODE).resolve(token + ".failed.md"));
        assertThat(TestHive.states(transport)).containsExactly(State.WAITING);
        assertThat(inbox.settle(token, new Outcome.Failed("again"))).isEqualTo(WAITING);

        hive.clock.advance(Duration.ofMinutes(5));
        TestHive.assertNothing(inbox);
        assertThat(actors("worker_ack")).containsExactly(TestHive.WORKER.name());
        hive.clock.advance(Duration.ofSeconds(11));
        assertThat(TestHive.take(inbox).attempt()).isEqualTo(2);
    }

    /// Who gave it back died when it was back, and its other name was found when all was over.
    @Test
    void whatCameBackAndWasDoneSinceIsDoneOnce() throws Exception {
        transport.send(hive.mail().seal());
        Claim first = TestHive.take(inbox);
        inbox.settle(first.token(), new Outcome.Released(""));
        Path other = hive.layout.returning(TestHive.CODE).resolve(first.token() + ".released.md");
        Files.createLink(other, hive.layout.mail(TestHive.CODE, first.envelope().id()));
        inbox.settle(TestHive.take(inbox).token(), new Outcome.Done(""));

        hive.clock.advance(Duration.ofMinutes(5));
        transport.upkeep().recover(Recovery.Extent.ALL);
        assertThat(other).doesNotExist();
        assertThat(TestHive.states(transport)).containsExactly(State.DONE);
        assertThat(hive.events("worker_ack")).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(
            value = State.class,
            names = {"EXPIRED", "DEAD", "DUPLICATE"})
    void whatCameBackAndWasArchivedSinceDoesNotComeAgain(State state) throws Exception {
        Envelope envelope = hive.mail().seal();
        transport.send(envelope);
        Path other = otherNameOfWhatCameBack();
        new Archive(new LocalDisk(), hive.layout)
                .store(
                        TestHive.CODE,
                        state,
                        envelope.id().text(),
                        hive.layout.mail(TestHive.CODE, envelope.id()),
                        hive.clock.instant());
        hive.clock.advance(Duration.ofMinutes(5));
        TestHive.assertNothing(inbox);

        assertThat(other).doesNotExist();
        assertThat(TestHive.states(transport)).containsExactly(state);
    }

    /// Takes what waits, and gives it back, but dies before the other name is gone.
    private Path otherNameOfWhatCameBack() throws Exception {
        Claim claim = TestHive.take(inbox);
        inbox.settle(claim.token(), new Outcome.Released(""));
        Path folder = Files.createDirectories(hive.layout.returning(TestHive.CODE));
        return Files.createLink(
                folder.resolve(claim.token() + ".released.md"),
                hive.layout.mail(TestHive.CODE, claim.envelope().id()));
    }

    @Test
    void doneAfterAnotherCopyWasFinishedIsADuplicate() throws Exception {
        Claim claim = claimWhoseLikeIsFinished();

        assertThat(inbox.settle(claim.token(), new Outcome.Done("")))
                .isEqualTo(new Settlement.Settled(State.DUPLICATE, Confirmation.ON_DISK));
        assertThat(TestHive.states(transport)).containsExactly(State.DUPLICATE);
        assertThat(hive.events("worker_ack")).isEmpty();
        assertThat(hive.events("rsm_envelope_duplicate")).hasSize(1);
    }

    @Test
    void leaseThatEndsAfterAnotherCopyWasFinishedEndsADuplicate() throws Exception {
        claimWhoseLikeIsFinished();
        hive.clock.advance(TestHive.LEASE.duration().plusMinutes(1));

        TestHive.assertNothing(inbox);
        assertThat(TestHive.states(transport)).containsExactly(State.DUPLICATE);
        assertThat(hive.events("worker_ack")).isEmpty();
    }

    /// As if the mark of work in progress had been lost: another file of the same content is in the
    /// seen-set.
    private Claim claimWhoseLikeIsFinished() throws Exception {
        Envelope envelope = hive.mail().seal();
        transport.send(envelope);
        Claim claim = TestHive.take(inbox);
        Path copy = Files.write(root.resolve("copy.md"), envelope.bytes());
        assertThat(
                        new SeenSet(new LocalDisk(), hive.layout)
                                .commit(TestHive.CODE, envelope.id(), envelope.hash(), copy))
                .contains(Confirmation.ON_DISK);
        return claim;
    }

    @Test
    void committingOneFileTwiceIsNoDuplicate() throws Exception {
        Envelope envelope = hive.mail().seal();
        Path file = Files.write(root.resolve("file.md"), envelope.bytes());
        SeenSet seen = new SeenSet(new LocalDisk(), hive.layout);
        for (int i = 0; i < 2; i++) {
            assertThat(seen.commit(TestHive.CODE, envelope.id(), envelope.hash(), file))
                    .contains(Confirmation.ON_DISK);
        }
        Path copy = Files.write(root.resolve("copy.md"), envelope.bytes());
        assertThat(seen.commit(TestHive.CODE, envelope.id(), envelope.hash(), copy)).isEmpty();
    }

    @Test
    void whatIsToldAgainIsAnsweredAgainAndDoneOnce() throws Exception {
        transport.send(hive.mail().seal());
        String released = TestHive.take(inbox).token();
        for (int i = 0; i < 2; i++) {
            assertThat(inbox.settle(released, new Outcome.Released(""))).isEqualTo(WAITING);
        }
        for (int attempt = 1; attempt <= 5; attempt++) {
            hive.clock.advance(Duration.ofMinutes(15));
            Claim claim = TestHive.take(inbox);
            assertThat(claim.attempt()).isEqualTo(attempt);
            Settlement first = inbox.settle(claim.token(), new Outcome.Failed("no"));
            assertThat(inbox.settle(claim.token(), new Outcome.Failed("no"))).isEqualTo(first);
            assertThat(inbox.settle(claim.token(), new Outcome.Released("")))
                    .isInstanceOf(Settlement.Lost.class);
        }
        assertThat(TestHive.states(transport)).containsExactly(State.DEAD);
        assertThat(hive.events("worker_ack")).hasSize(5);
    }

    @Test
    void whatIsToldAfterTheLeaseIsLost() throws Exception {
        transport.send(hive.mail().seal());
        String token = TestHive.take(inbox).token();
        hive.clock.advance(TestHive.LEASE.duration().plusMinutes(1));
        TestHive.assertNothing(inbox);
        for (Outcome outcome : List.of(new Outcome.Failed("no"), new Outcome.Released(""))) {
            assertThat(inbox.settle(token, outcome)).isInstanceOf(Settlement.Lost.class);
        }
    }

    /// Whoever says done writes so a step before the one that counts, and may be late by then.
    @Test
    void doneThatCameTooLateForTheLastAttemptIsLost() throws Exception {
        transport.send(hive.mail().seal());
        for (int attempt = 1; attempt < 5; attempt++) {
            inbox.settle(TestHive.take(inbox).token(), new Outcome.Failed("no"));
            hive.clock.advance(Duration.ofMinutes(15));
        }
        Claim last = TestHive.take(inbox);
        hive.clock.advance(TestHive.LEASE.duration().plusMinutes(1));
        TestHive.assertNothing(inbox);
        sayDone(last);

        assertThat(inbox.settle(last.token(), new Outcome.Done("")))
                .isInstanceOf(Settlement.Lost.class);
        assertThat(transport.stateOf(last.envelope().id(), TestHive.CODE)).contains(State.DEAD);
    }

    /// A disk that was full kept nobody from taking the mail back, only from writing so.
    @Test
    void doneOfAHolderWhoseWorkAnotherFinishedIsLost() throws Exception {
        transport.send(hive.mail().seal());
        Claim first = TestHive.take(inbox);
        hive.clock.advance(TestHive.LEASE.duration().plusMinutes(1));
        sayDone(first);
        List<String> before = Files.readAllLines(status(first));
        TestHive.assertNothing(inbox);
        Files.write(status(first), before);
        String second = TestHive.take(inbox).token();
        assertThat(inbox.settle(second, new Outcome.Done(""))).isEqualTo(TestHive.DONE);

        assertThat(inbox.settle(second, new Outcome.Done(""))).isEqualTo(TestHive.DONE);
        assertThat(inbox.settle(first.token(), new Outcome.Done("")))
                .isInstanceOf(Settlement.Lost.class);
    }

    /// As its holder does before the step that counts.
    private void sayDone(Claim claim) throws IOException {
        Json.Obj line =
                Json.obj()
                        .put("ts", hive.clock.instant().toString())
                        .put("what", "outcome")
                        .put("by", claim.worker().name())
                        .put("attempt", claim.attempt())
                        .put("claim", claim.token())
                        .put("status", "done");
        Files.writeString(status(claim), line + "\n", StandardOpenOption.APPEND);
    }

    private Path status(Claim claim) {
        return hive.layout.history(TestHive.CODE, claim.envelope().id().text());
    }

    private List<String> actors(String type) throws IOException {
        return hive.events(type).stream().map(RseEvent::actor).toList();
    }
}
