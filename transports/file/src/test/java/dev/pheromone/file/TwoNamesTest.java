package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Claim;
import dev.pheromone.Outcome;
import dev.pheromone.Settlement;
import dev.pheromone.State;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.file.upkeep.Recovery;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/// After a power cut a file that was renamed may have both names, one inode. It is one copy, and
/// its later state counts, whoever comes by first.
class TwoNamesTest extends OneInbox {

    /// Who meets the two names first.
    enum Comer {
        READER,
        RECOVERY
    }

    /// As a sender leaves it for a moment, and one that was killed for longer.
    @Test
    void mailThatHasTheNameOfItsDraftStillIsTaken() throws Exception {
        Envelope sent = hive.mail().seal();
        transport.send(sent);
        Path drafts = Files.createDirectories(hive.layout.drafts(TestHive.CODE));
        Files.createLink(drafts.resolve("draft"), hive.layout.mail(TestHive.CODE, sent.id()));

        Claim claim = TestHive.take(inbox);
        assertThat(claim.envelope()).isEqualTo(sent);
        assertThat(inbox.settle(claim.token(), new Outcome.Done(""))).isEqualTo(TestHive.DONE);
        checkDoneOnce();
    }

    @ParameterizedTest
    @EnumSource(Comer.class)
    void claimedMailThatIsBackInTheInboxIsClaimed(Comer comer) throws Exception {
        Claim claim = claim();
        Files.createLink(waiting(claim), active(claim));

        comes(comer);
        assertThat(TestHive.states(transport)).containsExactly(State.ACTIVE);
        assertThat(inbox.settle(claim.token(), new Outcome.Done(""))).isEqualTo(TestHive.DONE);
        checkDoneOnce();
    }

    @ParameterizedTest
    @EnumSource(Comer.class)
    void claimedMailThatIsBackInTheInboxComesBackWithItsLease(Comer comer) throws Exception {
        Claim claim = claim();
        Files.createLink(waiting(claim), active(claim));

        comes(comer);
        hive.clock.advance(Duration.ofMinutes(5));
        comes(comer);
        hive.clock.advance(Duration.ofMinutes(11));
        Claim again = TestHive.take(inbox);
        assertThat(again.envelope()).isEqualTo(claim.envelope());
        assertThat(again.attempt()).isEqualTo(2);
        inbox.settle(again.token(), new Outcome.Done(""));
        checkDoneOnce();
    }

    @ParameterizedTest
    @EnumSource(Comer.class)
    void doneMailThatIsBackAmongTheClaimsIsDone(Comer comer) throws Exception {
        Claim claim = done();
        Files.createLink(active(claim), archived());

        hive.clock.advance(Duration.ofMinutes(5));
        comes(comer);
        checkDoneOnce();
    }

    @ParameterizedTest
    @EnumSource(Comer.class)
    void doneMailThatIsBackAmongTheClaimsMayBeAcknowledgedAgain(Comer comer) throws Exception {
        Claim claim = done();
        Files.createLink(active(claim), archived());

        assertThat(inbox.settle(claim.token(), new Outcome.Done(""))).isEqualTo(TestHive.DONE);
        comes(comer);
        checkDoneOnce();
    }

    @ParameterizedTest
    @EnumSource(Comer.class)
    void doneMailThatIsBackInTheInboxIsDone(Comer comer) throws Exception {
        Claim claim = done();
        Files.createLink(waiting(claim), archived());

        comes(comer);
        checkDoneOnce();
    }

    @ParameterizedTest
    @EnumSource(Comer.class)
    void doneMailThatIsBackOnItsWayBackIsDone(Comer comer) throws Exception {
        Claim claim = done();
        Files.createLink(returning(claim, ""), archived());

        hive.clock.advance(Duration.ofMinutes(5));
        comes(comer);
        checkDoneOnce();
    }

    @ParameterizedTest
    @EnumSource(Comer.class)
    void mailThatOnlyTheSeenSetKnowsIsDone(Comer comer) throws Exception {
        Claim claim = done();
        Files.move(archived(), active(claim));

        hive.clock.advance(Duration.ofMinutes(5));
        comes(comer);
        assertThat(TestHive.states(transport)).containsExactly(State.DONE);
        assertThat(hive.filesIn("archive")).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(Comer.class)
    void mailInTheInboxThatTheSeenSetKnowsAsThisVeryFileIsDone(Comer comer) throws Exception {
        Claim claim = done();
        Files.move(archived(), waiting(claim));

        comes(comer);
        checkDoneOnce();
    }

    @ParameterizedTest
    @EnumSource(Comer.class)
    void expiredMailThatIsBackInTheInboxIsExpiredOnce(Comer comer) throws Exception {
        Envelope envelope = hive.mail().ttl(Ttl.parse("10s")).seal();
        transport.send(envelope);
        hive.clock.advance(Duration.ofSeconds(11));
        TestHive.assertNothing(inbox);
        Files.createLink(hive.layout.mail(TestHive.CODE, envelope.id()), archived());

        hive.clock.advance(Duration.ofMinutes(5));
        comes(comer);
        assertThat(TestHive.states(transport)).containsExactly(State.EXPIRED);
        assertThat(hive.filesIn("inbox")).isEmpty();
        assertThat(hive.events("pheromone_expire")).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(Comer.class)
    void mailOnItsWayBackThatIsBackAmongTheClaimsComesBack(Comer comer) throws Exception {
        Claim claim = claim();
        Files.createLink(returning(claim, ".released"), active(claim));

        hive.clock.advance(Duration.ofMinutes(5));
        comes(comer, 1);
        assertThat(inbox.renew(claim.token())).isInstanceOf(Settlement.Lost.class);
    }

    @ParameterizedTest
    @EnumSource(Comer.class)
    void mailThatCameBackWaitsThoughItsClaimIsBackToo(Comer comer) throws Exception {
        Claim claim = claim();
        inbox.settle(claim.token(), new Outcome.Failed(""));
        Files.createLink(active(claim), waiting(claim));

        hive.clock.advance(Duration.ofMinutes(5));
        comes(comer, 2);
    }

    @ParameterizedTest
    @EnumSource(Comer.class)
    void mailThatCameBackAndWaitsDoesNotComeBackTwice(Comer comer) throws Exception {
        Claim claim = claim();
        inbox.settle(claim.token(), new Outcome.Released(""));
        Files.createLink(returning(claim, ".released"), waiting(claim));

        hive.clock.advance(Duration.ofMinutes(5));
        comes(comer, 1);
    }

    @ParameterizedTest
    @EnumSource(Comer.class)
    void ofTwoClaimsOnOneFileTheLaterOneCounts(Comer comer) throws Exception {
        Claim first = claim();
        inbox.settle(first.token(), new Outcome.Released(""));
        hive.clock.advance(Duration.ofSeconds(40));
        Claim second = TestHive.take(inbox);
        Files.createLink(active(first), active(second));

        // Only the first one's lease is over.
        hive.clock.advance(Duration.ofSeconds(40));
        comes(comer);
        assertThat(TestHive.states(transport)).containsExactly(State.ACTIVE);
        assertThat(inbox.settle(first.token(), new Outcome.Done("")))
                .isInstanceOf(Settlement.Lost.class);
        assertThat(inbox.settle(second.token(), new Outcome.Done(""))).isEqualTo(TestHive.DONE);
        checkDoneOnce();
    }

    /// Somebody comes by, and finds nothing to take.
    private void comes(Comer comer) throws Exception {
        if (comer == Comer.RECOVERY) {
            transport.upkeep().recover(Recovery.Extent.ALL);
        }
        TestHive.assertNothing(inbox);
    }

    /// Somebody comes by, takes the one copy that waits, and finishes it.
    private void comes(Comer comer, int attempt) throws Exception {
        if (comer == Comer.RECOVERY) {
            transport.upkeep().recover(Recovery.Extent.ALL);
        }
        // What is on its way back is completed first, by whoever looks.
        Claim claim = TestHive.take(inbox);
        assertThat(claim.attempt()).isEqualTo(attempt);
        TestHive.assertNothing(inbox);
        assertThat(inbox.settle(claim.token(), new Outcome.Done(""))).isEqualTo(TestHive.DONE);
        checkDoneOnce();
    }

    private void checkDoneOnce() throws Exception {
        hive.clock.advance(Duration.ofMinutes(5));
        transport.upkeep().recover(Recovery.Extent.ALL);
        TestHive.assertNothing(inbox);
        assertThat(TestHive.states(transport)).containsExactly(State.DONE);
        assertThat(hive.filesIn("inbox")).isEmpty();
        assertThat(hive.filesIn("active")).isEmpty();
        assertThat(hive.filesIn("archive")).hasSize(1);
        assertThat(hive.events("worker_ack"))
                .filteredOn(event -> event.data().optionalText("status").orElse("").equals("done"))
                .hasSize(1);
    }

    private Claim claim() throws Exception {
        transport.send(hive.mail().seal());
        return TestHive.take(inbox);
    }

    private Claim done() throws Exception {
        Claim claim = claim();
        inbox.settle(claim.token(), new Outcome.Done(""));
        return claim;
    }

    private Path waiting(Claim claim) {
        return hive.layout.mail(TestHive.CODE, claim.envelope().id());
    }

    private Path active(Claim claim) {
        return hive.layout.active(TestHive.CODE).resolve(claim.token() + ".md");
    }

    private Path returning(Claim claim, String reason) throws IOException {
        return Files.createDirectories(hive.layout.returning(TestHive.CODE))
                .resolve(claim.token() + reason + ".md");
    }

    private Path archived() throws IOException {
        return hive.layout.root().resolve(hive.filesIn("archive").getFirst());
    }
}
