package dev.pheromone.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Capability;
import dev.pheromone.Claim;
import dev.pheromone.Outcome;
import dev.pheromone.SendResult;
import dev.pheromone.Settlement;
import dev.pheromone.State;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeDraft;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.life.LifeLimits;
import dev.pheromone.life.Why;
import dev.pheromone.text.Json;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/// A transport stores the life of a copy as [dev.pheromone.life.Life] has it, to the millisecond.
/// Part of [TransportContract].
public interface LifeContract extends CapabilityContract {

    /// All that the transport keeps about the copy in `CODE` beside its bytes, as text: a history,
    /// a record.
    String kept(EnvelopeId id) throws IOException;

    private static Duration pauseAfter(int failures) {
        return LifeLimits.defaults().pauseAfter(failures);
    }

    private void fail(Claim claim, State state) throws Exception {
        assertSettled(inbox().settle(claim.token(), new Outcome.Failed("no luck")), state);
    }

    /// Asserts that nobody gets the next copy for `pause`, and that somebody may then.
    private void assertPausesFor(Duration pause) throws Exception {
        clock().advance(pause.minusMillis(1));
        assertHeldBack(inbox());
        clock().advance(Duration.ofMillis(1));
    }

    @Test
    default void eachFailurePausesToTheMillisecondAndTheLastOneEnds() throws Exception {
        Envelope envelope = mail("poison").seal();
        send(envelope);
        int last = LifeLimits.defaults().attemptsMax();
        for (int attempt = 1; attempt < last; attempt++) {
            Claim claim = take(inbox());
            assertThat(claim.attempt()).isEqualTo(attempt);
            fail(claim, State.WAITING);
            assertPausesFor(pauseAfter(attempt));
        }
        fail(take(inbox()), State.DEAD);
        clock().advance(Duration.ofHours(1));
        assertHeldBack(inbox());
        assertThat(transport().stateOf(envelope.id(), CODE)).contains(State.DEAD);
    }

    @Test
    default void aLeaseEndsToTheMillisecondAndCountsAsAFailure() throws Exception {
        Envelope envelope = mail("slow").seal();
        send(envelope);
        // After the real times that files have: later ones would be signs of life.
        clock().advance(Duration.ofMinutes(1));
        Claim lost = take(inbox());
        assertPausesFor(LEASE.duration());
        assertComesBack(envelope.id());
        assertPausesFor(pauseAfter(1));

        Claim second = take(inbox());
        assertThat(second.attempt()).isEqualTo(2);
        assertThat(inbox().settle(lost.token(), new Outcome.Done("")))
                .isInstanceOf(Settlement.Lost.class);
        assertThat(inbox().renew(lost.token())).isInstanceOf(Settlement.Lost.class);
        assertThat(inbox().accept(lost.token(), "late")).isInstanceOf(Settlement.Lost.class);
        assertSettled(inbox().settle(second.token(), new Outcome.Done("")), State.DONE);
    }

    @Test
    default void theNoteOfAReleaseIsKept() throws Exception {
        Envelope envelope = mail("not mine").seal();
        send(envelope);
        Outcome released = new Outcome.Released("a question for the ops desk");
        assertSettled(inbox().settle(take(inbox()).token(), released), State.WAITING);
        assertThat(kept(envelope.id())).contains("a question for the ops desk");
    }

    @Test
    default void theNoteOfAFailureIsKept() throws Exception {
        Envelope envelope = mail("flaky").seal();
        send(envelope);
        fail(take(inbox()), State.WAITING);
        assertThat(kept(envelope.id())).contains("no luck");
    }

    @Test
    default void acceptingRenewsTheLeaseAndIsToldWithItsNoteWhereEventsAreLogged()
            throws Exception {
        Envelope envelope = mail("long work").seal();
        send(envelope);
        Claim claim = take(inbox());
        clock().advance(LEASE.duration().minusSeconds(1));
        assertThat(inbox().renew(claim.token())).isInstanceOf(Settlement.Renewed.class);
        clock().advance(LEASE.duration().minusSeconds(1));
        assertThat(inbox().accept(claim.token(), "until noon"))
                .isInstanceOfSatisfying(
                        Settlement.Renewed.class,
                        renewed ->
                                assertThat(renewed.leaseEndsAt())
                                        .isBetween(
                                                clock().instant()
                                                        .plus(LEASE.duration())
                                                        .minusSeconds(1),
                                                clock().instant().plus(LEASE.duration())));
        clock().advance(LEASE.duration().minusSeconds(1));
        assertHeldBack(inbox());
        assertSettled(inbox().settle(claim.token(), new Outcome.Done("by noon")), State.DONE);
        if (promises(Capability.LOGS_EVENTS)) {
            assertThat(acknowledgements(envelope))
                    .containsExactly("accepted 1 until noon", "done 1 by noon");
        }
    }

    @Test
    default void whoLostTheLeaseAcceptsNothing() throws Exception {
        Envelope envelope = mail("too late").seal();
        send(envelope);
        Claim claim = take(inbox());
        clock().advance(LEASE.duration().plusMinutes(1));
        assertComesBack(envelope.id());
        assertThat(inbox().accept(claim.token(), "on it")).isInstanceOf(Settlement.Lost.class);
        if (promises(Capability.LOGS_EVENTS)) {
            assertThat(acknowledgements(envelope)).isEmpty();
        }
    }

    /// What workers said of `envelope`: status, attempt and note.
    private List<String> acknowledgements(Envelope envelope) throws IOException {
        return events(envelope.id()).stream()
                .filter(event -> event.text("type").equals("worker_ack"))
                .map(event -> event.object("data"))
                .map(LifeContract::acknowledgement)
                .toList();
    }

    private static String acknowledgement(Json.Obj data) {
        return "%s %d %s"
                .formatted(
                        data.text("status"),
                        data.number("attempt"),
                        data.optionalText("notes").orElse(""));
    }

    @Test
    default void otherMailUnderTheIdOfMailThatIsThereIsAConflict() throws Exception {
        EnvelopeId id = EnvelopeId.random(clock().instant());
        send(mail("first").id(id).seal());
        assertConflict(id, Why.ID_TAKEN);
        Claim claim = take(inbox());
        assertConflict(id, Why.ID_TAKEN);
        assertThat(transport().stateOf(id, CODE)).contains(State.ACTIVE);
        assertSettled(inbox().settle(claim.token(), new Outcome.Released("")), State.WAITING);
        assertConflict(id, Why.ID_TAKEN);
        assertThat(take(inbox()).envelope().topic()).isEqualTo("first");
        assertNothing(inbox());
    }

    @Test
    default void doneMailKeepsItsIdForGood() throws Exception {
        Envelope envelope = mail("first").seal();
        send(envelope);
        assertSettled(inbox().settle(take(inbox()).token(), new Outcome.Done("")), State.DONE);
        assertKeepsItsId(envelope);
    }

    @Test
    default void deadMailKeepsItsIdForGood() throws Exception {
        Envelope envelope = mail("first").seal();
        send(envelope);
        int last = LifeLimits.defaults().attemptsMax();
        for (int attempt = 1; attempt < last; attempt++) {
            fail(take(inbox()), State.WAITING);
            clock().advance(pauseAfter(attempt));
        }
        fail(take(inbox()), State.DEAD);
        assertKeepsItsId(envelope);
    }

    private void assertKeepsItsId(Envelope envelope) throws Exception {
        clock().advance(Duration.ofHours(1));
        assertThat(send(envelope)).isInstanceOf(SendResult.Duplicate.class);
        assertConflict(envelope.id(), Why.ID_FINISHED);
        assertNothing(inbox());
    }

    /// Asserts that other mail under `id` is a conflict, and that its sender is told why.
    private void assertConflict(EnvelopeId id, Why why) throws Exception {
        assertThat(send(mail("second").id(id).body("Something else.\n").seal()))
                .isInstanceOfSatisfying(
                        SendResult.Conflict.class,
                        conflict -> assertThat(conflict.reason()).isEqualTo(why.text(id)));
    }

    @Test
    default void expiredMailLeavesItsIdFreeForTheSameMailAndForOther() throws Exception {
        for (String next : List.of("short", "other")) {
            EnvelopeId id = EnvelopeId.random(clock().instant());
            send(mail("short").id(id).ttl(Ttl.parse("1m")).seal());
            clock().advance(Duration.ofMinutes(1));
            assertIsOver(id);
            assertBeginsAnew(mail(next).id(id).ttl(Ttl.parse("1h")).seal());
        }
    }

    @Test
    default void mailDatedAheadIsRefusedAndLeavesItsIdFree() throws Exception {
        EnvelopeId id = EnvelopeId.random(clock().instant());
        send(mail("early").id(id).ts(clock().instant().plus(Duration.ofHours(25))).seal());
        assertIsOver(id);
        assertBeginsAnew(mail("early").id(id).seal());
    }

    @Test
    default void mailWithoutItsSignatureIsRefusedAndLeavesItsIdFree() throws Exception {
        EnvelopeDraft draft =
                Envelope.draft(SIGNER, List.of(CODE.address()), Lane.CODE, "signed")
                        .ts(clock().instant());
        EnvelopeId id = EnvelopeId.random(clock().instant());
        send(draft.id(id).seal());
        assertIsOver(id);
        assertBeginsAnew(KEY.sign(draft.id(id).seal()));
    }

    /// Asserts that `envelope` is delivered and has a whole life under an id that was used before.
    private void assertBeginsAnew(Envelope envelope) throws Exception {
        assertThat(send(envelope)).isInstanceOf(SendResult.Delivered.class);
        assertThat(send(envelope)).isInstanceOf(SendResult.Duplicate.class);
        assertConflict(envelope.id(), Why.ID_TAKEN);
        assertThat(transport().stateOf(envelope.id(), CODE)).contains(State.WAITING);
        Claim claim = take(inbox());
        assertThat(claim.envelope()).isEqualTo(envelope);
        assertThat(claim.attempt()).isEqualTo(1);
        assertSettled(inbox().settle(claim.token(), new Outcome.Done("")), State.DONE);
        assertThat(send(envelope)).isInstanceOf(SendResult.Duplicate.class);
    }
}
