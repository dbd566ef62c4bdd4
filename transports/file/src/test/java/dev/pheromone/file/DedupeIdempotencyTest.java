package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Claim;
import dev.pheromone.Inbox;
import dev.pheromone.Outcome;
import dev.pheromone.Receipt;
import dev.pheromone.Selection;
import dev.pheromone.SendResult;
import dev.pheromone.State;
import dev.pheromone.address.Address;
import dev.pheromone.envelope.Envelope;

import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// Section 10 of the specification, "Dedupe/idempotency": the same envelope again, by whatever way
/// and at whatever time, has one effect. `RepeatedMailTest` has the narrow moments.
final class DedupeIdempotencyTest extends OneInbox {

    private SendResult send(Envelope envelope) throws Exception {
        return transport.send(envelope).copies().getFirst().result();
    }

    /// Takes and finishes everything there is; returns how often work was done.
    private static int workAll(Inbox inbox) throws Exception {
        int effects = 0;
        while (inbox.select(TestHive.WORKER, TestHive.LEASE) instanceof Selection.Taken taken) {
            effects++;
            assertThat(inbox.settle(taken.claim().token(), new Outcome.Done("")))
                    .isEqualTo(TestHive.DONE);
        }
        return effects;
    }

    private long done() throws Exception {
        return hive.events("worker_ack").stream()
                .filter(event -> event.data().text("status").equals("done"))
                .count();
    }

    @Test
    void sentAgainAtEveryStageOfItsLifeItHasOneEffect() throws Exception {
        Envelope envelope = hive.mail().seal();
        assertThat(send(envelope)).isInstanceOf(SendResult.Delivered.class);
        assertThat(send(envelope)).as("waiting").isInstanceOf(SendResult.Duplicate.class);
        Claim claim = TestHive.take(inbox);
        assertThat(send(envelope)).as("active").isInstanceOf(SendResult.Duplicate.class);
        inbox.settle(claim.token(), new Outcome.Done(""));
        assertThat(send(envelope)).as("done").isInstanceOf(SendResult.Duplicate.class);

        TestHive.assertNothing(inbox);
        assertThat(TestHive.states(transport)).containsExactly(State.DONE);
        assertThat(done()).isEqualTo(1);
        assertThat(hive.events("rsm_envelope_emit")).hasSize(1);
    }

    @Test
    void putIntoTheInboxByHandItHasOneEffectAndIsKept() throws Exception {
        Envelope envelope = hive.mail().seal();
        send(envelope);
        hive.write(envelope, "before.md");
        assertThat(workAll(inbox)).isEqualTo(1);
        for (int i = 0; i < 5; i++) {
            hive.write(envelope, "after-" + i + ".md");
        }

        assertThat(workAll(inbox)).isZero();
        assertThat(done()).isEqualTo(1);
        assertThat(hive.filesIn("archive/code/done")).hasSize(1);
        assertThat(hive.filesIn("archive/code/duplicate")).hasSize(6);
        assertThat(hive.filesIn("inbox/code")).isEmpty();
    }

    @Test
    void itHasOneEffectForAProcessThatKnowsNothingOfTheFirst() throws Exception {
        Envelope envelope = hive.mail().seal();
        send(envelope);
        assertThat(workAll(inbox)).isEqualTo(1);
        hive.write(envelope, envelope.id() + ".md");

        try (FileTransport other = hive.open()) {
            assertThat(workAll(other.inbox(TestHive.CODE))).isZero();
        }
        assertThat(done()).isEqualTo(1);
    }

    @Test
    void sentByManyAtOnceItIsThereOnce() throws Exception {
        Envelope envelope = hive.mail().seal();
        List<Callable<SendResult>> senders = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            senders.add(() -> send(envelope));
        }
        int delivered = 0;
        try (ExecutorService threads = Executors.newFixedThreadPool(senders.size())) {
            for (Future<SendResult> result : threads.invokeAll(senders)) {
                delivered += result.get() instanceof SendResult.Delivered ? 1 : 0;
            }
        }

        assertThat(delivered).isEqualTo(1);
        assertThat(workAll(inbox)).isEqualTo(1);
        assertThat(done()).isEqualTo(1);
    }

    @Test
    void eachInboxHasItsOwnEffect() throws Exception {
        Envelope envelope =
                hive.mail(List.of(Address.parse("queen://code"), Address.parse("queen://docs")))
                        .seal();
        transport.send(envelope);
        Receipt again = transport.send(envelope);

        assertThat(again.copies())
                .hasSize(2)
                .allSatisfy(
                        copy -> assertThat(copy.result()).isInstanceOf(SendResult.Duplicate.class));
        assertThat(workAll(inbox)).isEqualTo(1);
        assertThat(workAll(transport.inbox(Address.parse("queen://docs").domain()))).isEqualTo(1);
        assertThat(done()).isEqualTo(2);
    }

    @Test
    void otherContentUnderItsIdIsNoRepetitionAndIsNeverProcessed() throws Exception {
        Envelope envelope = hive.mail().seal();
        send(envelope);
        assertThat(workAll(inbox)).isEqualTo(1);
        Envelope other = hive.mail().id(envelope.id()).body("Something else.\n").seal();

        assertThat(send(other)).isInstanceOf(SendResult.Conflict.class);
        hive.write(other, "other.md");
        assertThat(workAll(inbox)).isZero();
        assertThat(TestHive.states(transport)).containsExactly(State.DONE, State.CONFLICT);
        String kept = hive.filesIn("archive/code/conflict").getFirst();
        assertThat(Files.readAllBytes(root.toRealPath().resolve(kept))).isEqualTo(other.bytes());
    }
}
