package dev.pheromone.file.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Claim;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.file.OneInbox;
import dev.pheromone.file.TestHive;
import dev.pheromone.file.copy.PickCounter;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;

/// Mail that a person picks, whatever else waits.
class TakeByIdTest extends OneInbox {

    private Selection pick(Envelope envelope) throws IOException {
        return transport
                .picking(TestHive.CODE)
                .take(envelope.id(), TestHive.WORKER, TestHive.LEASE);
    }

    private Envelope sent() throws Exception {
        Envelope envelope = hive.mail().seal();
        transport.send(envelope);
        return envelope;
    }

    @Test
    void isTakenAndNoOther() throws Exception {
        Envelope first = sent();
        Envelope second = sent();
        assertThat(pick(second))
                .isInstanceOfSatisfying(
                        Selection.Taken.class,
                        taken -> {
                            assertThat(taken.claim().envelope().id()).isEqualTo(second.id());
                            assertThat(taken.claim().rationale())
                                    .isEqualTo("named by its id, one of 2");
                        });
        assertThat(TestHive.take(inbox).envelope().id()).isEqualTo(first.id());
        assertThat(pick(second)).isInstanceOf(Selection.Nothing.class);
    }

    @Test
    void isTakenWhileItPausesAfterAFailure() throws Exception {
        Envelope envelope = sent();
        inbox.settle(TestHive.take(inbox).token(), new Outcome.Failed("no"));
        assertThat(inbox.select(TestHive.WORKER, TestHive.LEASE))
                .isInstanceOf(Selection.Nothing.class);
        assertThat(pick(envelope))
                .isInstanceOfSatisfying(
                        Selection.Taken.class,
                        taken -> assertThat(taken.claim().attempt()).isEqualTo(2));
    }

    @Test
    void isTakenOnceTheLeaseOfAnotherIsOver() throws Exception {
        Envelope envelope = sent();
        Claim lost = TestHive.take(inbox);
        assertThat(pick(envelope)).isInstanceOf(Selection.Nothing.class);
        hive.clock.advance(Duration.ofMinutes(2));
        assertThat(pick(envelope)).isInstanceOf(Selection.Taken.class);
        assertThat(inbox.settle(lost.token(), new Outcome.Done(""))).isNotEqualTo(TestHive.DONE);
    }

    @Test
    void isNotTakenOnceItExpired() throws Exception {
        Envelope envelope = sent();
        hive.clock.advance(Duration.ofDays(40));
        assertThat(pick(envelope)).isInstanceOf(Selection.Nothing.class);
    }

    /// Every fourth pick of an inbox is the due turn; what people pick beside it does not count.
    @Test
    void doesNotMoveTheInboxesOwnOrder() throws Exception {
        Envelope first = sent();
        PickCounter picks =
                new PickCounter(hive.files(), hive.layout.state(TestHive.CODE).resolve("picks"));
        long before = picks.next();
        assertThat(pick(first)).isInstanceOf(Selection.Taken.class);
        assertThat(picks.next()).isEqualTo(before);
    }
}
