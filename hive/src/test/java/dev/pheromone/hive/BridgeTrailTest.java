package dev.pheromone.hive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.AwayException;
import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.NotLetInException;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.SendResult;
import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeDraft;
import dev.pheromone.hive.Bridge.Route;
import dev.pheromone.hive.Bridge.Side;
import dev.pheromone.hive.Bridge.Step;
import dev.pheromone.testkit.FakeClock;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// What a bridge remembers of its tries, and what it makes of mail that the other side knows.
final class BridgeTrailTest {

    private static final Domain OPS = Shore.OPS;
    private static final Actor CARRIER = Actor.parse("carrier");

    private final FakeClock clock = new FakeClock(Instant.parse("2025-10-15T17:10:00Z"));
    private final Shore near = new Shore(clock);
    private final Shore far = new Shore(clock);
    private final Route route = new Route(new Side("a", near), new Side("b", far), OPS);
    private final KeptTrail trail = new KeptTrail();
    private final Bridge bridge = new Bridge(CARRIER, trail, (_, _) -> Optional.empty(), clock);

    private EnvelopeDraft mail() {
        return Envelope.draft(
                        Actor.parse("ada"),
                        List.of(Address.parse("queen://ops")),
                        Lane.OPS,
                        "deploy")
                .ts(clock.instant())
                .body("now\n");
    }

    private Envelope waiting() throws Exception {
        Envelope envelope = mail().seal();
        near.mail.send(envelope);
        return envelope;
    }

    private void assertStillHere() throws Exception {
        assertThat(near.inbox(OPS).waiting()).hasSize(1);
    }

    @Test
    void whatCameRoundIsNotEndedBecauseTheOtherSideWasAwayBefore() throws Exception {
        Envelope envelope = waiting();
        far.shows(envelope, State.DONE);
        far.isHidden = true;
        far.failure = new AwayException("nobody answers");
        assertThatThrownBy(() -> bridge.step(route)).isInstanceOf(AwayException.class);
        assertThat(trail.begun).isEmpty();
        far.isHidden = false;
        far.failure = null;
        far.answer = new SendResult.Duplicate("there");
        clock.advance(Duration.ofSeconds(10));
        assertThat(bridge.step(route)).isInstanceOf(Step.Stopped.class);
        assertStillHere();
        assertThat(trail.begun).isEmpty();
    }

    @Test
    void whereNoConnectionCameAboutNothingWasSent() throws Exception {
        waiting();
        far.failure = new AwayException("no connection", new ConnectException("refused"));
        assertThatThrownBy(() -> bridge.step(route)).isInstanceOf(AwayException.class);
        assertThat(trail.begun).isEmpty();
        far.failure = new AwayException("the answer is lost");
        clock.advance(Duration.ofSeconds(10));
        assertThatThrownBy(() -> bridge.step(route)).isInstanceOf(AwayException.class);
        assertThat(trail.begun).hasSize(1);
    }

    @Test
    void aRefusalDoesNotHideThatAnEarlierTryArrived() throws Exception {
        Envelope envelope = waiting();
        far.failure = new AwayException("the answer is lost");
        assertThatThrownBy(() -> bridge.step(route)).isInstanceOf(AwayException.class);
        far.failure = null;
        far.answer = new SendResult.Refused(Duration.ofSeconds(1), "too full");
        clock.advance(Duration.ofSeconds(10));
        assertThat(bridge.step(route)).isInstanceOf(Step.HeldUp.class);
        far.answer = new SendResult.Conflict("there", "another");
        clock.advance(Duration.ofSeconds(10));
        assertThat(bridge.step(route)).isInstanceOf(Step.Stopped.class);
        far.answer = new SendResult.Duplicate("there");
        far.shows(envelope, State.DONE);
        clock.advance(Duration.ofMinutes(10));
        assertThat(bridge.step(route)).isInstanceOf(Step.Carried.class);
        assertThat(trail.begun).isEmpty();
    }

    @Test
    void ourOwnClaimIsNoProofThatItArrived() throws Exception {
        // Both sides lead to one hive.
        far.shows(waiting(), State.ACTIVE);
        far.answer = new SendResult.Duplicate("there");
        assertThat(bridge.step(route)).isInstanceOf(Step.Stopped.class);
        assertStillHere();
    }

    @Test
    void whatCameRoundIsNotEvenNoted() throws Exception {
        // A note that outlived a crash would say that it was ours.
        far.shows(waiting(), State.DONE);
        assertThat(bridge.step(route)).isInstanceOf(Step.Stopped.class);
        assertThat(trail.notes).isZero();
    }

    @Test
    void anotherOfTheSameIdThatWaitsThereIsNotTakenForIt() throws Exception {
        Envelope envelope = waiting();
        Envelope other = mail().id(envelope.id()).body("never\n").seal();
        far.mail.send(other);
        far.shows(other, State.WAITING);
        assertThat(bridge.step(route)).isInstanceOf(Step.Stopped.class);
        assertStillHere();
        assertThat(trail.begun).isEmpty();
    }

    @Test
    void whatWaitsThereAlreadyIsEndedHere() throws Exception {
        Envelope envelope = waiting();
        far.mail.send(envelope);
        far.shows(envelope, State.WAITING);
        assertThat(bridge.step(route)).isInstanceOf(Step.Carried.class);
        assertThat(near.inbox(OPS).waiting()).isEmpty();
        assertThat(trail.begun).isEmpty();
    }

    @Test
    void whereWeAreNotLetInNothingIsHeldAgainstTheMail() throws Exception {
        waiting();
        far.failure = new NotLetInException("the server answered 401");
        assertThatThrownBy(() -> bridge.step(route)).isInstanceOf(NotLetInException.class);
        assertThat(trail.begun).isEmpty();
        far.failure = null;
        clock.advance(Duration.ofSeconds(10));
        assertThat(bridge.step(route)).isInstanceOf(Step.Carried.class);
    }

    @Test
    void whatIsNotTakenThereStopsNothingElse() throws Exception {
        waiting();
        far.failure = new IOException("the server answered 413");
        assertThat(bridge.step(route))
                .isInstanceOfSatisfying(
                        Step.Stopped.class, stopped -> assertThat(stopped.why()).contains("413"));
        assertStillHere();
    }

    @Test
    void whatOneInboxThereDoesNotTakeStopsNothingElse() throws Exception {
        waiting();
        far.answer = new SendResult.Failed(new IOException("too large"));
        assertThat(bridge.step(route))
                .isInstanceOfSatisfying(
                        Step.Stopped.class,
                        stopped -> assertThat(stopped.why()).isEqualTo("b: too large"));
        assertStillHere();
    }

    @Test
    void nobodyHoldsUpARouteForLongerThanAMinuteAtOnce() throws Exception {
        waiting();
        far.answer = new SendResult.Refused(Duration.ofDays(3), "too full");
        assertThat(bridge.step(route))
                .isInstanceOfSatisfying(
                        Step.HeldUp.class,
                        held -> assertThat(held.pause()).isEqualTo(Duration.ofMinutes(1)));
        far.answer = null;
        clock.advance(Duration.ofMinutes(2));
        assertThat(bridge.step(route)).isInstanceOf(Step.Carried.class);
    }

    @Test
    void manyRefusedLongAgoMakeNoDifference() throws Exception {
        far.answer = new SendResult.Conflict("there", "another");
        for (int i = 0; i < 20; i++) {
            waiting();
        }
        for (int i = 0; i < 60; i++) {
            bridge.step(route);
        }
        clock.advance(Duration.ofHours(1));
        for (int i = 0; i < 20; i++) {
            take();
        }
        clock.advance(Duration.ofHours(3));
        waiting();
        assertThat(bridge.step(route)).isInstanceOf(Step.Stopped.class);
        take();
    }

    /// Somebody else does it, at once.
    private void take() throws Exception {
        Inbox inbox = near.inbox(OPS);
        Selection selection = inbox.select(CARRIER, Lease.unattended(Duration.ofHours(1)));
        assertThat(selection).isInstanceOf(Selection.Taken.class);
        inbox.settle(((Selection.Taken) selection).claim().token(), new Outcome.Done("here"));
    }
}
