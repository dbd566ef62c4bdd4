package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Claim;
import dev.pheromone.Inbox;
import dev.pheromone.Outcome;
import dev.pheromone.Receipt;
import dev.pheromone.SendResult;
import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Lane;
import dev.pheromone.disk.InterposedDisk;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Ttl;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// The same mail again, and other mail under its id, at every moment of its life.
final class RepeatedMailTest extends OneInbox {

    @Test
    void whatIsWrittenAgainWhileItIsWorkedOnIsPutAside() throws Exception {
        Envelope envelope = hive.mail().seal();
        transport.send(envelope);
        Claim claim = TestHive.take(inbox);
        hive.write(envelope, "again.md");

        TestHive.assertNothing(inbox);
        assertThat(TestHive.states(transport)).containsExactly(State.ACTIVE, State.DUPLICATE);
        assertThat(inbox.settle(claim.token(), new Outcome.Done(""))).isEqualTo(TestHive.DONE);
        assertThat(hive.events("worker_ack")).hasSize(1);
    }

    @Test
    void whatIsFinishedWhileItIsSentAgainIsADuplicateAndNoConflict() throws Exception {
        Envelope envelope = hive.mail().seal();
        transport.send(envelope);
        String claim = TestHive.take(inbox).token();
        InterposedDisk disk =
                new InterposedDisk(
                        // By then the seen-set was asked for this very envelope.
                        what -> what.startsWith("list " + hive.layout.seen(TestHive.CODE)),
                        () -> inbox.settle(claim, new Outcome.Done("")));
        try (FileTransport other = hive.open(disk)) {
            assertThat(other.send(envelope).copies().getFirst().result())
                    .isInstanceOf(SendResult.Duplicate.class);
        }
        assertThat(disk.isPlayed()).isTrue();
    }

    @Test
    void otherContentUnderTheIdOfActiveMailIsAConflictAndHarmsNothing() throws Exception {
        EnvelopeId id = EnvelopeId.random(hive.clock.instant());
        transport.send(hive.mail().id(id).seal());
        Claim claim = TestHive.take(inbox);
        hive.write(hive.mail().id(id).body("Something else.\n").seal(), "other.md");
        TestHive.assertNothing(inbox);
        assertThat(TestHive.states(transport)).containsExactly(State.ACTIVE, State.CONFLICT);

        inbox.settle(claim.token(), new Outcome.Released(""));
        assertThat(inbox.settle(TestHive.take(inbox).token(), new Outcome.Done("")))
                .isEqualTo(TestHive.DONE);
    }

    @Test
    void aReturnOntoMailThatWasSentAgainLeavesOne() throws Exception {
        Envelope envelope = hive.mail().seal();
        transport.send(envelope);
        Claim claim = TestHive.take(inbox);
        hive.write(envelope, envelope.id() + ".md");

        inbox.settle(claim.token(), new Outcome.Released(""));
        assertThat(TestHive.states(transport)).containsExactly(State.WAITING, State.DUPLICATE);
        assertThat(inbox.settle(TestHive.take(inbox).token(), new Outcome.Done("")))
                .isEqualTo(TestHive.DONE);
        TestHive.assertNothing(inbox);
    }

    @Test
    void aReturnOntoOtherMailOfTheSameIdKeepsBoth() throws Exception {
        EnvelopeId id = EnvelopeId.random(hive.clock.instant());
        transport.send(hive.mail().id(id).seal());
        Claim claim = TestHive.take(inbox);
        hive.write(hive.mail().id(id).body("Something else.\n").seal(), id + ".md");

        inbox.settle(claim.token(), new Outcome.Failed(""));
        assertThat(TestHive.states(transport)).containsExactly(State.WAITING, State.CONFLICT);
    }

    @Test
    void aCopyThatIsCheckedJustBeforeTheOtherIsDoneIsPutAside() throws Exception {
        Envelope envelope = hive.mail().seal();
        transport.send(envelope);
        Claim claim = TestHive.take(inbox);
        hive.write(envelope, "again.md");
        // The first is finished at the last moment before the second marks its work as begun.
        InterposedDisk disk =
                new InterposedDisk(
                        what -> what.startsWith("link") && what.contains("/.running/"),
                        () ->
                                assertThat(inbox.settle(claim.token(), new Outcome.Done("")))
                                        .isEqualTo(TestHive.DONE));
        try (FileTransport second = hive.open(disk)) {
            TestHive.assertNothing(second.inbox(TestHive.CODE));
            assertThat(disk.isPlayed()).isTrue();
        }
        assertThat(TestHive.states(transport)).containsExactly(State.DONE, State.DUPLICATE);
        assertThat(hive.filesIn("active")).isEmpty();
    }

    @Test
    void conflictsDoNotUseUpTheAttemptsOfRealMail() throws Exception {
        EnvelopeId id = EnvelopeId.random(hive.clock.instant());
        transport.send(hive.mail().id(id).seal());
        Claim claim = TestHive.take(inbox);
        for (int i = 0; i < 6; i++) {
            hive.write(hive.mail().id(id).body("Forgery " + i + ".\n").seal(), "other" + i + ".md");
            TestHive.assertNothing(inbox);
        }
        inbox.settle(claim.token(), new Outcome.Released(""));
        assertThat(TestHive.take(inbox).attempt()).isEqualTo(1);
    }

    @Test
    void mailThatExpiredBeginsANewLifeWhenItIsSentAgain() throws Exception {
        hive = new TestHive(root, Instant.now().minusSeconds(60));
        transport.close();
        transport = hive.open();
        inbox = transport.inbox(TestHive.CODE);
        EnvelopeId id = EnvelopeId.random(hive.clock.instant());
        transport.send(hive.mail().id(id).ttl(Ttl.parse("20s")).seal());
        inbox.settle(TestHive.take(inbox).token(), new Outcome.Failed("once"));
        hive.clock.advance(Duration.ofSeconds(30));
        TestHive.assertNothing(inbox);

        transport.send(hive.mail().id(id).ttl(Ttl.parse("20s")).seal());
        assertThat(TestHive.take(inbox).attempt()).isEqualTo(1);
    }

    @Test
    void aConflictWithFinishedMailSaysWhereThatIs() throws Exception {
        EnvelopeId id = EnvelopeId.random(hive.clock.instant());
        transport.send(hive.mail().id(id).seal());
        inbox.settle(TestHive.take(inbox).token(), new Outcome.Done(""));

        Envelope other = hive.mail().id(id).body("Something else.\n").seal();
        SendResult result = transport.send(other).copies().getFirst().result();
        assertThat(result).isInstanceOf(SendResult.Conflict.class);
        String location = ((SendResult.Conflict) result).location();
        assertThat(transport.layout().root().resolve(location)).isRegularFile();
    }

    @Test
    void twoSendersOfOneIdHaveOneWinner() throws Exception {
        EnvelopeId id = EnvelopeId.random(hive.clock.instant());
        Envelope first = hive.mail().id(id).seal();
        Envelope second = hive.mail().id(id).body("Something else.\n").seal();
        InterposedDisk disk =
                new InterposedDisk(
                        what -> what.startsWith("link") && what.contains("/inbox/"),
                        () -> transport.send(first));
        try (FileTransport other = hive.open(disk)) {
            assertThat(other.send(second).copies().getFirst().result())
                    .isInstanceOf(SendResult.Conflict.class);
        }
        assertThat(TestHive.take(inbox).envelope().bytes()).isEqualTo(first.bytes());
        assertThat(hive.filesIn("inbox")).isEmpty();
    }

    @Test
    void twoArchivesOfOneIdAreBothKept() throws Exception {
        EnvelopeId id = EnvelopeId.random(hive.clock.instant());
        for (int i = 0; i < 2; i++) {
            transport.send(hive.mail().id(id).ttl(Ttl.parse("5s")).seal());
            hive.clock.advance(Duration.ofMinutes(1));
            TestHive.assertNothing(inbox);
        }
        assertThat(TestHive.states(transport)).containsExactly(State.EXPIRED, State.EXPIRED);
    }

    @Test
    void aReplyMadeTwiceArrivesOnce() throws Exception {
        EnvelopeId request = EnvelopeId.random(hive.clock.instant());
        EnvelopeId id = EnvelopeId.ofReply(request, TestHive.CODE);
        assertThat(id).isEqualTo(EnvelopeId.ofReply(request, TestHive.CODE)).isNotEqualTo(request);
        SendResult first = transport.send(hive.mail().id(id).seal()).copies().getFirst().result();
        hive.clock.advance(Duration.ofMinutes(5));
        SendResult again = transport.send(hive.mail().id(id).seal()).copies().getFirst().result();

        assertThat(first).isInstanceOf(SendResult.Delivered.class);
        assertThat(again).isInstanceOf(SendResult.Duplicate.class);
    }

    @Test
    void threeRecipientsOfOneIdEachDoTheirOwnWork() throws Exception {
        Envelope envelope =
                Envelope.draft(
                                Actor.parse("ada"),
                                List.of(
                                        Address.parse("queen://code"),
                                        Address.parse("queen://docs"),
                                        Address.parse("user://ada")),
                                Lane.CODE,
                                "all")
                        .ts(hive.clock.instant())
                        .seal();
        for (Receipt.Copy copy : transport.send(envelope).copies()) {
            Inbox own = transport.inbox(copy.inbox());
            assertThat(own.settle(TestHive.take(own).token(), new Outcome.Done("")))
                    .isEqualTo(TestHive.DONE);
        }
        assertThat(hive.events("rsm_envelope_emit")).hasSize(3);
        assertThat(hive.events("worker_ack")).hasSize(3);
        assertThat(hive.filesIn("seen")).hasSize(3);
    }

    @Test
    void mailForSomebodyElseIsDead() throws Exception {
        hive.write(
                Envelope.draft(
                                Actor.parse("ada"),
                                List.of(Address.parse("queen://docs")),
                                Lane.DOCS,
                                "lost")
                        .ts(hive.clock.instant())
                        .seal(),
                "lost.md");

        TestHive.assertNothing(inbox);
        assertThat(TestHive.states(transport)).containsExactly(State.DEAD);
        assertThat(hive.filesIn("seen")).isEmpty();
    }

    @Test
    void mailFromMoreThanADayAheadIsDead() throws Exception {
        hive.write(
                hive.mail().ts(hive.clock.instant().plus(Duration.ofHours(25))).seal(),
                "future.md");

        TestHive.assertNothing(inbox);
        assertThat(TestHive.states(transport)).containsExactly(State.DEAD);
    }
}
