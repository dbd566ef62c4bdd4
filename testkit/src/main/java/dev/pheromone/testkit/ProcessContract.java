package dev.pheromone.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Capability;
import dev.pheromone.Lease;
import dev.pheromone.SendResult;
import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Priority;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.life.ClaimToken;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Several real processes use one inbox as one reader would. Beside [TransportContract], for the
/// transports that more than one process can have open.
public interface ProcessContract extends CapabilityContract {

    int COPIES = Boolean.getBoolean("rsm.long") ? 400 : 40;

    /// Starts a process of its own that has the hive under test open, by the time of `clock()`.
    OtherProcess startOther() throws IOException;

    @Test
    default void twoProcessesAtOnceGetEachCopyOnce() throws Exception {
        Set<EnvelopeId> sent = new HashSet<>();
        for (int i = 0; i < COPIES; i++) {
            Envelope envelope =
                    Envelope.draft(
                                    Actor.parse("sender-" + i),
                                    List.of(CODE.address()),
                                    Lane.CODE,
                                    "number " + i)
                            .ts(clock().instant())
                            .seal();
            assertThat(send(envelope)).isInstanceOf(SendResult.Delivered.class);
            sent.add(envelope.id());
        }
        List<String> claims = new ArrayList<>();
        try (OtherProcess one = startOther();
                OtherProcess two = startOther()) {
            // Both are under way before either goes on.
            claims.add(one.take(LEASE).orElseThrow());
            claims.add(two.take(LEASE).orElseThrow());
            one.beginToFinishAll();
            two.beginToFinishAll();
            claims.addAll(one.finished());
            claims.addAll(two.finished());
        }
        // Each process stops at its first selection of nothing; a slow transport may have more.
        while (claims.size() < COPIES) {
            claims.add(take(inbox()).token());
        }
        assertHeldBack(inbox());

        assertThat(claims)
                .extracting(claim -> ClaimToken.idOf(claim).orElseThrow())
                .doesNotHaveDuplicates()
                .containsExactlyInAnyOrderElementsOf(sent);
        assertThat(claims).filteredOn(claim -> ClaimToken.attemptOf(claim) != 1).isEmpty();
    }

    @Test
    default void picksOfAllProcessesCountForTheDueTurn() throws Exception {
        Envelope due = mail("due").priority(Priority.P3).ttl(Ttl.parse("1h")).seal();
        send(due);
        for (int i = 0; i < 4; i++) {
            send(mail("urgent").priority(Priority.P1).ttl(Ttl.parse("20d")).seal());
        }
        List<EnvelopeId> order = new ArrayList<>();
        try (OtherProcess other = startOther()) {
            for (int i = 0; i < 2; i++) {
                order.add(take(inbox()).envelope().id());
                order.add(ClaimToken.idOf(other.take(LEASE).orElseThrow()).orElseThrow());
            }
        }
        assertThat(order).hasSize(4).doesNotHaveDuplicates();
        assertThat(order.getLast()).as("the fourth pick").isEqualTo(due.id());
    }

    @Test
    default void aProcessThatIsKilledLosesItsAttendedClaimAtOnceWhereThatIsNoticed()
            throws Exception {
        Envelope envelope = mail("left behind").seal();
        send(envelope);
        Duration lease = Duration.ofHours(1);
        try (OtherProcess other = startOther()) {
            assertThat(other.take(Lease.attended(lease))).isPresent();
            other.kill();
        }
        if (!promises(Capability.ATTENDED_LEASES)) {
            assertHeldBack(inbox());
            assertThat(transport().stateOf(envelope.id(), CODE)).contains(State.ACTIVE);
            clock().advance(lease.plusMinutes(1));
        }
        assertComesBack(envelope.id());
    }
}
