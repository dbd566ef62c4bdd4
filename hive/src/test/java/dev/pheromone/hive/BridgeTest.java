package dev.pheromone.hive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.AwayException;
import dev.pheromone.Capability;
import dev.pheromone.Claim;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.SendResult;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.address.Reach;
import dev.pheromone.envelope.Consent;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeDraft;
import dev.pheromone.envelope.Priority;
import dev.pheromone.hive.Bridge.Route;
import dev.pheromone.hive.Bridge.Side;
import dev.pheromone.hive.Bridge.Step;
import dev.pheromone.testkit.FakeClock;
import dev.pheromone.testkit.TransportContract;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Mail crosses once, unchanged, as far as it may; whatever happens on the way, it is on one side
/// or the other.
final class BridgeTest {

    private static final Domain OPS = Shore.OPS;
    private static final Actor CARRIER = Actor.parse("carrier");

    private final FakeClock clock = new FakeClock(Instant.parse("2025-10-15T17:10:00Z"));
    private final Shore near = new Shore(clock);
    private final Shore far = new Shore(clock);
    private final Side a = new Side("a", near);
    private final Side b = new Side("b", far);
    private final Route there = new Route(a, b, OPS);
    private final Route back = new Route(b, a, OPS);
    private final KeptTrail trail = new KeptTrail();
    private final Bridge bridge = new Bridge(CARRIER, trail, (_, _) -> Optional.empty(), clock);

    private EnvelopeDraft mail() {
        return mail(Actor.parse("ada"));
    }

    private EnvelopeDraft mail(Actor from) {
        return Envelope.draft(from, List.of(Address.parse("queen://ops")), Lane.OPS, "deploy")
                .ts(clock.instant())
                .body("now\n");
    }

    private Claim take(Shore shore) throws Exception {
        return ((Selection.Taken)
                        shore.inbox(OPS).select(CARRIER, Lease.unattended(Duration.ofHours(1))))
                .claim();
    }

    private void assertEmpty(Shore shore) throws Exception {
        assertThat(shore.inbox(OPS).waiting()).isEmpty();
    }

    @Test
    void anEnvelopeCrossesAsItIs() throws Exception {
        Envelope envelope = mail().seal();
        near.send(envelope);
        assertThat(bridge.step(there)).isInstanceOf(Step.Carried.class);
        assertThat(bridge.step(there)).isEqualTo(new Step.Nothing());
        assertEmpty(near);
        assertThat(take(far).envelope().bytes()).isEqualTo(envelope.bytes());
        assertThat(trail.begun).isEmpty();
    }

    @Test
    void whileTheOtherSideIsAwayItStaysUncounted() throws Exception {
        near.send(mail().seal());
        far.failure = new AwayException("nobody answers");
        for (int i = 0; i < 10; i++) {
            assertThatThrownBy(() -> bridge.step(there)).isInstanceOf(AwayException.class);
            clock.advance(Duration.ofSeconds(10));
        }
        far.failure = null;
        assertThat(bridge.step(there)).isInstanceOf(Step.Carried.class);
        assertThat(take(far).attempt()).isEqualTo(1);
    }

    @Test
    void whatArrivedAlthoughTheAnswerWasLostIsKnownAgain() throws Exception {
        near.send(mail().seal());
        far.failure = new AwayException("the answer is lost");
        far.isTakenAllTheSame = true;
        assertThatThrownBy(() -> bridge.step(there)).isInstanceOf(AwayException.class);
        // It is even done there before the bridge comes again.
        Claim claim = take(far);
        far.inbox(OPS).settle(claim.token(), new Outcome.Done(""));
        far.failure = null;
        clock.advance(Duration.ofSeconds(10));
        assertThat(bridge.step(there)).isInstanceOf(Step.Carried.class);
        assertEmpty(near);
        assertEmpty(far);
        assertThat(trail.begun).isEmpty();
    }

    @Test
    void whatNoReceiverHasConfirmedIsSentAgainAndKnownByItsTrail() throws Exception {
        near.send(mail().seal());
        far.answer = new SendResult.Unanswered(SendResult.Place.HERE, "nobody receives");
        assertThat(bridge.step(there)).isInstanceOf(Step.HeldUp.class);
        assertThat(trail.begun).isEmpty();

        clock.advance(Duration.ofSeconds(10));
        far.answer = new SendResult.Unanswered(SendResult.Place.BROKER, "no receipt");
        assertThat(bridge.step(there)).isInstanceOf(Step.HeldUp.class);
        assertThat(trail.begun).hasSize(1);

        // What a broker has is not sent again at once.
        clock.advance(Duration.ofSeconds(10));
        assertThat(bridge.step(there)).isInstanceOf(Step.Nothing.class);
        clock.advance(Duration.ofSeconds(20));
        far.answer = new SendResult.Duplicate("");
        assertThat(bridge.step(there)).isInstanceOf(Step.Carried.class);
        assertEmpty(near);
        assertThat(trail.begun).isEmpty();
    }

    @Test
    void whatComesRoundInACircleIsNotEnded() throws Exception {
        near.send(mail().seal());
        assertThat(bridge.step(there)).isInstanceOf(Step.Carried.class);
        // Somebody else's bridge has it the other way round.
        Bridge contrary = new Bridge(CARRIER, new KeptTrail(), (_, _) -> Optional.empty(), clock);
        assertThat(contrary.step(back))
                .isInstanceOfSatisfying(
                        Step.Stopped.class,
                        stopped -> assertThat(stopped.why()).contains("has had it before"));
        clock.advance(Duration.ofMinutes(1));
        assertThat(take(far).envelope().topic()).isEqualTo("deploy");
    }

    @Test
    void whatMayNotCrossIsNotCountedHoweverOftenItIsTried() throws Exception {
        near.mail.send(mail().consent(Consent.PRIVATE).seal());
        for (int i = 0; i < 10; i++) {
            assertThat(bridge.step(there)).isInstanceOf(Step.Stopped.class);
            assertLeftAlone();
            clock.advance(Duration.ofHours(1));
        }
        Claim claim = take(near);
        assertThat(claim.attempt()).isEqualTo(1);
        assertThat(trail.begun).isEmpty();
    }

    @Test
    void whatMayNotCrossIsTriedMoreAndMoreSeldom() throws Exception {
        near.mail.send(mail().consent(Consent.PRIVATE).seal());
        assertThat(bridge.step(there)).isInstanceOf(Step.Stopped.class);
        clock.advance(Duration.ofMinutes(1));
        assertThat(bridge.step(there)).isInstanceOf(Step.Stopped.class);
        clock.advance(Duration.ofMinutes(1));
        assertLeftAlone();
        clock.advance(Duration.ofMinutes(1));
        assertThat(bridge.step(there)).isInstanceOf(Step.Stopped.class);
    }

    /// For the moment there is nothing to do, and nothing is done.
    private void assertLeftAlone() throws Exception {
        assertThat(bridge.step(there)).isEqualTo(new Step.LeftAlone(there, Duration.ofSeconds(1)));
    }

    @Test
    void whatMayNotCrossIsFreeForOthersAtOnce() throws Exception {
        near.mail.send(mail().consent(Consent.PRIVATE).seal());
        assertThat(bridge.step(there)).isInstanceOf(Step.Stopped.class);
        assertLeftAlone();
        Claim claim = take(near);
        near.inbox(OPS).settle(claim.token(), new Outcome.Done("here"));
        assertThat(bridge.step(there)).isEqualTo(new Step.Nothing());
    }

    @Test
    void whatMayNotCrossStandsInNobodysWay() throws Exception {
        near.mail.send(mail().consent(Consent.PRIVATE).priority(Priority.P0).seal());
        near.mail.send(mail().consent(Consent.PRIVATE).priority(Priority.P1).seal());
        assertThat(bridge.step(there)).isInstanceOf(Step.Stopped.class);
        Envelope late = mail().priority(Priority.P3).seal();
        near.send(late);
        List<Step> steps = new ArrayList<>();
        while (!(steps.size() == 10 || steps.contains(new Step.Carried(there, late)))) {
            steps.add(bridge.step(there));
        }
        assertThat(steps).contains(new Step.Carried(there, late)).hasSizeLessThan(6);
        assertLeftAloneAfterAMoment();
    }

    private void assertLeftAloneAfterAMoment() throws Exception {
        clock.advance(Duration.ofSeconds(5));
        assertLeftAlone();
        assertThat(take(near).envelope().consent()).isEqualTo(Consent.PRIVATE);
        assertThat(take(near).envelope().consent()).isEqualTo(Consent.PRIVATE);
    }

    @Test
    void ofManyThatMayNotCrossSomeArePaused() throws Exception {
        for (int i = 0; i < 100; i++) {
            near.mail.send(mail().consent(Consent.PRIVATE).seal());
        }
        assertThat(stepsUntilNothing()).isBetween(100, 150);
        clock.advance(Duration.ofSeconds(30));
        assertThat(stepsUntilNothing()).isLessThan(20);
        clock.advance(Duration.ofSeconds(20));
        assertThat(stepsUntilNothing()).isZero();
    }

    private int stepsUntilNothing() throws Exception {
        int steps = 0;
        while (!(bridge.step(there) instanceof Step.Nothing) && steps < 1000) {
            steps++;
        }
        return steps;
    }

    @Test
    void aRouteRestsWhereRefusedMailWouldBeHandedOutAtOnce() throws Exception {
        near.mail.send(mail().consent(Consent.PRIVATE).seal());
        near.capabilities = EnumSet.noneOf(Capability.class);
        assertThat(bridge.step(there))
                .isInstanceOfSatisfying(
                        Step.Stopped.class,
                        stopped -> assertThat(stopped.rest()).isEqualTo(Duration.ofMinutes(1)));
    }

    @Test
    void nothingGoesFartherThanItsConsent() throws Exception {
        near.mail.send(mail().consent(Consent.PRIVATE).seal());
        assertThat(bridge.step(there))
                .isInstanceOfSatisfying(
                        Step.Stopped.class,
                        stopped ->
                                assertThat(stopped.why())
                                        .isEqualTo("consent is private, and b reaches team"));
        assertEmpty(far);
        assertThat(near.inbox(OPS).waiting()).hasSize(1);
    }

    @Test
    void theBorderHasItsSay() throws Exception {
        far.reach = Reach.PUBLIC;
        near.mail.send(
                TransportContract.KEY.sign(
                        mail(TransportContract.SIGNER).consent(Consent.PUBLIC).seal()));
        Bridge guarded =
                new Bridge(CARRIER, trail, (_, _) -> Optional.of("it tells too much"), clock);
        assertThat(guarded.step(there)).isInstanceOf(Step.Stopped.class);
        assertEmpty(far);
        clock.advance(Duration.ofMinutes(1));
        assertThat(bridge.step(there)).isInstanceOf(Step.Carried.class);
    }

    @Test
    void whatTheOtherSideFindsInPublicMailKeepsItHere() throws Exception {
        far.answer = new SendResult.NotPublic(List.of("email"), "it holds an email");
        near.mail.send(
                TransportContract.KEY.sign(
                        mail(TransportContract.SIGNER).consent(Consent.PUBLIC).seal()));
        assertThat(bridge.step(there))
                .isInstanceOfSatisfying(
                        Step.Stopped.class,
                        stopped -> assertThat(stopped.why()).isEqualTo("it holds an email"));
        assertThat(near.inbox(OPS).waiting()).hasSize(1);
    }

    @Test
    void aCrewCarriesUntilItIsStopped() throws Exception {
        BridgeCrew[] crew = new BridgeCrew[1];
        Set<Step> carried = new HashSet<>();
        crew[0] =
                new BridgeCrew(
                        bridge,
                        () -> List.of(there),
                        new BridgeCrew.Log() {
                            @Override
                            public void accept(Step step) {
                                if (step instanceof Step.Carried) {
                                    carried.add(step);
                                    if (carried.size() == 5) {
                                        crew[0].stop();
                                    }
                                }
                            }

                            @Override
                            public void trouble(String what, Exception cause) {
                                throw new AssertionError(what, cause);
                            }
                        });
        for (int i = 0; i < 5; i++) {
            near.send(mail().seal());
        }
        crew[0].run();
        assertThat(carried).hasSize(5);
        assertThat(far.inbox(OPS).waiting()).hasSize(5);
    }
}
