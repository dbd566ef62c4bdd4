package dev.pheromone.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Capability;
import dev.pheromone.Carrier;
import dev.pheromone.Claim;
import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.SendResult;
import dev.pheromone.Settlement;
import dev.pheromone.Settlement.Confirmation;
import dev.pheromone.State;
import dev.pheromone.Transport;
import dev.pheromone.address.Actor;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Priority;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/// What a transport promises or not, as it declares: each of these tests holds it to that. Part of
/// [TransportContract].
public interface CapabilityContract extends CarrierContract {

    Actor WORKER = Actor.parse("worker.one");
    Lease LEASE = Lease.unattended(Duration.ofMinutes(1));

    /// How long a look for what must not come lasts where the transport has a lag: a few times what
    /// it usually takes. The long suites look for as long as it may take.
    Duration GLIMPSE = Duration.ofMillis(200);

    Transport transport();

    @Override
    default Carrier carrier() {
        return transport();
    }

    /// The same hive, opened anew, as another process would.
    Transport reopened() throws IOException;

    @Override
    default Carrier another() throws IOException {
        return reopened();
    }

    /// The hive as it is after a power cut of the machine that keeps it. Asked only of a transport
    /// that survives one.
    default Transport afterPowerCut() throws IOException {
        throw new UnsupportedOperationException("a transport that survives a power cut has one");
    }

    /// Locks the whole hive, as a person would. Asked only of a transport that heeds locks.
    default void lockHive() throws IOException {
        throw new UnsupportedOperationException("a transport that heeds locks can be locked");
    }

    /// All lines of the hive's log. Asked only of a transport that logs events, or of one that runs
    /// [BadMailContract] and does not show what has ended.
    default List<String> log() throws IOException {
        throw new UnsupportedOperationException(
                "log: found none, expected one of a transport that logs events, and of one whose"
                        + " bad mail is not shown by ended()");
    }

    default boolean promises(Capability capability) {
        return transport().capabilities().contains(capability);
    }

    default Inbox inbox() throws IOException, NoSuchInboxException {
        return transport().inbox(CODE);
    }

    /// Takes the next copy, which must come within the lag that the transport declares.
    default Claim take(Inbox inbox) throws IOException {
        return take(inbox, LEASE);
    }

    /// As above, for so long.
    default Claim take(Inbox inbox, Lease lease) throws IOException {
        return takeWithin(transport().lag().longest(), inbox, lease);
    }

    /// As above, and the copy must come within `lag`.
    default Claim takeWithin(Duration lag, Inbox inbox, Lease lease) throws IOException {
        Selection selection = Lookout.select(lag, inbox, WORKER, lease);
        assertThat(selection)
                .as("what a selection found within the declared lag of %s", lag)
                .isInstanceOf(Selection.Taken.class);
        return assertTaken(selection);
    }

    /// Asserts that nothing is handed out, however often somebody looks while the clock stands
    /// still.
    default void assertHeldBack(Inbox inbox) throws IOException {
        Duration lag = transport().lag().longest();
        boolean isShort = lag.compareTo(GLIMPSE) < 0 || Boolean.getBoolean("rsm.long");
        assertThat(Lookout.select(isShort ? lag : GLIMPSE, inbox, WORKER, LEASE))
                .isEqualTo(new Selection.Nothing());
    }

    /// Asserts that whoever looks into `CODE` gets nothing, and that the copy of `id` waits again
    /// within the declared lag.
    default void assertComesBack(EnvelopeId id) throws Exception {
        assertThat(awaitState(id, state -> state.equals(Optional.of(State.WAITING))))
                .contains(State.WAITING);
    }

    /// Asserts that whoever looks into `CODE` gets nothing, and that the life of the copy of `id`
    /// is over within the declared lag. A transport need not know how a life ended that left its id
    /// free.
    default void assertIsOver(EnvelopeId id) throws Exception {
        Predicate<Optional<State>> isOver = state -> state.isEmpty() || state.get().isFinal();
        assertThat(awaitState(id, isOver)).matches(isOver);
    }

    private Optional<State> awaitState(EnvelopeId id, Predicate<Optional<State>> wanted)
            throws Exception {
        return Lookout.within(
                transport().lag().longest(),
                () -> {
                    assertNothing(inbox());
                    return transport().stateOf(id, CODE);
                },
                wanted);
    }

    default Claim assertTaken(Selection selection) {
        assertThat(selection).isInstanceOf(Selection.Taken.class);
        return ((Selection.Taken) selection).claim();
    }

    default void assertSettled(Settlement settlement, State state) {
        assertThat(settlement).isInstanceOf(Settlement.Settled.class);
        assertThat(((Settlement.Settled) settlement).state()).isEqualTo(state);
    }

    default void assertNothing(Inbox inbox) throws IOException {
        assertThat(inbox.select(WORKER, LEASE)).isEqualTo(new Selection.Nothing());
    }

    @Test
    default void whatFailedStandsBehindItsClassWhereTheOrderIsEffective() throws Exception {
        send(mail("failed").priority(Priority.P1).seal());
        assertSettled(inbox().settle(take(inbox()).token(), new Outcome.Failed("")), State.WAITING);
        clock().advance(Duration.ofSeconds(11));
        send(mail("fresh").priority(Priority.P1).seal());

        List<String> order = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            order.add(take(inbox()).envelope().topic());
        }
        if (promises(Capability.EFFECTIVE_ORDER)) {
            assertThat(order).containsExactly("fresh", "failed");
        } else {
            assertThat(order).containsExactlyInAnyOrder("fresh", "failed");
        }
    }

    @Test
    default void everyFourthPickIsTheDueTurnWhoeverMakesIt() throws Exception {
        send(mail("due").priority(Priority.P3).ttl(Ttl.parse("1h")).seal());
        for (int i = 0; i < 4; i++) {
            send(mail("urgent").priority(Priority.P1).ttl(Ttl.parse("20d")).seal());
        }
        List<String> order = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            try (Transport once = reopened()) {
                order.add(take(once.inbox(CODE)).envelope().topic());
            }
        }
        assertThat(order).containsExactly("urgent", "urgent", "urgent", "due", "urgent");
        assertThat(promises(Capability.SHARED_TURNS)).isTrue();
    }

    @Test
    default void whatIsReleasedCanBeTakenAtOnceOrAsSaidAndDoesNotCount() throws Exception {
        send(mail("not mine").seal());
        assertSettled(
                inbox().settle(take(inbox()).token(), new Outcome.Released("")), State.WAITING);

        Outcome later = new Outcome.Released("busy", Duration.ofSeconds(5));
        assertSettled(inbox().settle(take(inbox()).token(), later), State.WAITING);
        if (promises(Capability.PAUSES_RELEASED)) {
            clock().advance(Duration.ofMillis(4_999));
            assertHeldBack(inbox());
            clock().advance(Duration.ofMillis(1));
        }
        assertThat(take(inbox()).attempt()).isEqualTo(1);
    }

    @Test
    default void whoSendsTooMuchIsRefusedWhereThatIsNoticed() throws Exception {
        SendResult last = send(mail("urgent").priority(Priority.P0).seal());
        for (int i = 0; i < 20 && last instanceof SendResult.Delivered; i++) {
            last = send(mail("urgent " + i).priority(Priority.P0).seal());
        }
        assertThat(last)
                .isInstanceOf(
                        promises(Capability.THROTTLES)
                                ? SendResult.Refused.class
                                : SendResult.Delivered.class);
    }

    @Test
    default void aLockWithholdsMailWhereLocksAreHeeded() throws Exception {
        Inbox inbox = inbox();
        send(mail("before").seal());
        if (promises(Capability.HEEDS_LOCKS)) {
            lockHive();
            assertThat(send(mail("under lock").seal())).isInstanceOf(SendResult.Withheld.class);
            assertThat(inbox.select(WORKER, LEASE)).isInstanceOf(Selection.Withheld.class);
        } else {
            take(inbox);
        }
    }

    @Test
    default void whatWasConfirmedSurvivesAPowerCutWhereThatIsPromised() throws Exception {
        if (!promises(Capability.SURVIVES_POWER_CUT)) {
            // Nobody is told that what was settled is on a disk.
            send(mail("unsure").seal());
            assertThat(inbox().settle(take(inbox()).token(), new Outcome.Done("")))
                    .isEqualTo(new Settlement.Settled(State.DONE, Confirmation.UNKNOWN));
            return;
        }
        Envelope done = mail("done").seal();
        send(done);
        assertThat(inbox().settle(take(inbox()).token(), new Outcome.Done("")))
                .isEqualTo(new Settlement.Settled(State.DONE, Confirmation.ON_DISK));
        Envelope waiting = mail("waiting").seal();
        assertThat(send(waiting)).isInstanceOf(SendResult.Delivered.class);

        try (Transport after = afterPowerCut()) {
            assertThat(after.stateOf(waiting.id(), CODE)).contains(State.WAITING);
            assertThat(after.send(done).copies().getFirst().result())
                    .isInstanceOf(SendResult.Duplicate.class);
            assertThat(take(after.inbox(CODE)).envelope().bytes()).isEqualTo(waiting.bytes());
            assertNothing(after.inbox(CODE));
        }
    }

    @Test
    default void whatIsDoneCanBeReadAgainWhereItIsKept() throws Exception {
        Envelope envelope = mail("done").seal();
        send(envelope);
        assertSettled(inbox().settle(take(inbox()).token(), new Outcome.Done("")), State.DONE);

        Optional<Transport.Found> found = transport().find(envelope.id());
        assertThat(found.isPresent()).isEqualTo(promises(Capability.KEEPS_DONE));
        found.ifPresent(kept -> assertThat(kept.envelope().bytes()).isEqualTo(envelope.bytes()));
    }

    @Test
    default void whoIsGoneLosesItsAttendedClaimAtOnceWhereThatIsNoticed() throws Exception {
        Duration lease = Duration.ofHours(1);
        Duration rest = Duration.ofMinutes(11);
        Envelope envelope = mail("left behind").seal();
        send(envelope);
        try (Transport gone = reopened()) {
            var _ = take(gone.inbox(CODE), Lease.attended(lease));
        }
        if (!promises(Capability.ATTENDED_LEASES)) {
            clock().advance(rest);
            assertNothing(inbox());
            clock().advance(lease);
        }
        // As after any failure, the copy pauses.
        assertComesBack(envelope.id());
        clock().advance(rest);
        assertThat(take(inbox()).attempt()).isEqualTo(2);
    }

    @Test
    default void eachStepIsToldWhereEventsAreLogged() throws Exception {
        Envelope envelope = mail("told").seal();
        send(envelope);
        Claim claim = take(inbox());
        assertSettled(inbox().settle(claim.token(), new Outcome.Done("well done")), State.DONE);
        if (promises(Capability.LOGS_EVENTS)) {
            assertThat(events(envelope.id()))
                    .extracting(event -> event.text("type"))
                    .containsSubsequence("rsm_envelope_emit", "queen_select", "worker_ack");
        }
    }

    /// What the log has about the mail of this id, in its order.
    default List<Json.Obj> events(EnvelopeId id) throws IOException {
        List<Json.Obj> events = new ArrayList<>();
        for (String line : log()) {
            if (line.contains(id.text())) {
                events.add(event(line));
            }
        }
        return events;
    }

    private static Json.Obj event(String line) throws IOException {
        try {
            return (Json.Obj) Json.parse(line);
        } catch (MalformedJsonException e) {
            throw new IOException("log: found \"" + line + "\", expected a line of JSON", e);
        }
    }
}
