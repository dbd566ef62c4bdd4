package dev.pheromone.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Actor;
import dev.pheromone.Capability;
import dev.pheromone.Carrier;
import dev.pheromone.Claim;
import dev.pheromone.Envelope;
import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.NoSuchInboxException;
import dev.pheromone.Outcome;
import dev.pheromone.Priority;
import dev.pheromone.Selection;
import dev.pheromone.SendResult;
import dev.pheromone.Settlement;
import dev.pheromone.State;
import dev.pheromone.Transport;
import dev.pheromone.Ttl;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What a transport promises or not, as it declares: each of these tests holds it to that. Part of
/// [TransportContract].
public interface CapabilityContract extends CarrierContract {

    Actor WORKER = Actor.parse("worker.one");
    Lease LEASE = Lease.unattended(Duration.ofMinutes(1));

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

    /// Locks the whole hive, as a person would. Asked only of a transport that heeds locks.
    default void lockHive() throws IOException {
        throw new UnsupportedOperationException("a transport that heeds locks can be locked");
    }

    /// All lines of the hive's log. Asked only of a transport that logs events.
    default List<String> log() throws IOException {
        throw new UnsupportedOperationException("a transport that logs events has a log");
    }

    default boolean promises(Capability capability) {
        return transport().capabilities().contains(capability);
    }

    default Inbox inbox() throws IOException, NoSuchInboxException {
        return transport().inbox(CODE);
    }

    /// Takes the next envelope, which must be there.
    default Claim take(Inbox inbox) throws IOException {
        return take(inbox, LEASE);
    }

    /// As above, for so long.
    default Claim take(Inbox inbox, Lease lease) throws IOException {
        return assertTaken(inbox.select(WORKER, lease));
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
    default void everyFourthPickIsTheDueTurnWhoeverMakesItWhereTurnsAreShared() throws Exception {
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
        assertThat(order).hasSize(5).contains("due");
        if (promises(Capability.SHARED_TURNS)) {
            assertThat(order).containsExactly("urgent", "urgent", "urgent", "due", "urgent");
        }
    }

    @Test
    default void whatIsReleasedCanBeTakenAtOnceOrAsSaidAndDoesNotCount() throws Exception {
        send(mail("not mine").seal());
        assertSettled(
                inbox().settle(take(inbox()).token(), new Outcome.Released("")), State.WAITING);

        Outcome later = new Outcome.Released("busy", Duration.ofSeconds(5));
        assertSettled(inbox().settle(take(inbox()).token(), later), State.WAITING);
        if (promises(Capability.PAUSES_RELEASED)) {
            assertNothing(inbox());
            clock().advance(Duration.ofSeconds(6));
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
        send(mail("left behind").seal());
        try (Transport gone = reopened()) {
            var _ = take(gone.inbox(CODE), Lease.attended(lease));
        }
        if (!promises(Capability.ATTENDED_LEASES)) {
            clock().advance(rest);
            assertNothing(inbox());
            clock().advance(lease);
        }
        // As after any failure, it rests for a while.
        assertNothing(inbox());
        clock().advance(rest);
        assertThat(take(inbox()).attempt()).isEqualTo(2);
    }

    @Test
    default void eachStepIsToldWhereEventsAreLogged() throws Exception {
        Envelope envelope = mail("told").seal();
        send(envelope);
        long sent = told(envelope);
        Claim claim = take(inbox());
        long taken = told(envelope);
        assertSettled(inbox().settle(claim.token(), new Outcome.Done("")), State.DONE);
        long done = told(envelope);
        if (promises(Capability.LOGS_EVENTS)) {
            assertThat(sent).isPositive();
            assertThat(taken).isGreaterThan(sent);
            assertThat(done).isGreaterThan(taken);
        }
    }

    private long told(Envelope envelope) throws IOException {
        return promises(Capability.LOGS_EVENTS)
                ? log().stream().filter(line -> line.contains(envelope.id().text())).count()
                : 0;
    }
}
