package dev.pheromone.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Claim;
import dev.pheromone.Outcome;
import dev.pheromone.Settlement;
import dev.pheromone.State;
import dev.pheromone.envelope.Envelope;

import org.junit.jupiter.api.Test;

import java.time.Duration;

/// How work ended may be said again by whoever did not hear the answer: it is the same, and counts
/// once. Beside [TransportContract], for the transports that remember how a claim ended.
public interface RepeatedOutcomeContract extends CapabilityContract {

    @Test
    default void aFailureMayBeSaidAgainAndCountsOnce() throws Exception {
        send(mail("flaky").seal());
        Claim claim = take(inbox());
        for (int i = 0; i < 2; i++) {
            assertSettled(
                    inbox().settle(claim.token(), new Outcome.Failed("no luck")), State.WAITING);
        }
        assertThat(inbox().settle(claim.token(), new Outcome.Done("after all")))
                .isInstanceOf(Settlement.Lost.class);
        assertThat(inbox().settle(claim.token(), new Outcome.Released("")))
                .isInstanceOf(Settlement.Lost.class);
        clock().advance(Duration.ofSeconds(11));
        assertThat(take(inbox()).attempt()).isEqualTo(2);
    }

    @Test
    default void whatWasReleasedMayBeReleasedAgain() throws Exception {
        send(mail("not mine").seal());
        Claim claim = take(inbox());
        for (int i = 0; i < 2; i++) {
            assertSettled(inbox().settle(claim.token(), new Outcome.Released("")), State.WAITING);
        }
        assertThat(inbox().settle(claim.token(), new Outcome.Failed("too late")))
                .isInstanceOf(Settlement.Lost.class);
        assertThat(take(inbox()).attempt()).isEqualTo(1);
    }

    @Test
    default void theLastFailureMayBeSaidAgain() throws Exception {
        send(mail("poison").seal());
        for (int attempt = 1; attempt < 5; attempt++) {
            assertSettled(
                    inbox().settle(take(inbox()).token(), new Outcome.Failed("")), State.WAITING);
            clock().advance(Duration.ofMinutes(11));
        }
        Claim last = take(inbox());
        for (int i = 0; i < 2; i++) {
            assertSettled(inbox().settle(last.token(), new Outcome.Failed("")), State.DEAD);
        }
    }

    @Test
    default void whoseLeaseIsOverHasNothingToSayAgain() throws Exception {
        Envelope envelope = mail("slow").seal();
        send(envelope);
        Claim late = take(inbox());
        clock().advance(LEASE.duration().plusMinutes(1));
        assertComesBack(envelope.id());
        assertThat(inbox().settle(late.token(), new Outcome.Failed("")))
                .isInstanceOf(Settlement.Lost.class);
        assertThat(inbox().settle(late.token(), new Outcome.Released("")))
                .isInstanceOf(Settlement.Lost.class);
    }
}
