package dev.pheromone.rse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Priority;
import dev.pheromone.text.Json;

import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

class RseEventTest {

    private static final Instant NOW = Instant.parse("2025-10-15T17:10:00Z");
    private static final Actor ADA = new Actor("ada");
    private static final EnvelopeId ID = EnvelopeId.parse("01JBRM7XCN6E9M6KQGM6K3J3E5");
    private static final Domain CODE = new Domain("code");

    private static RseEvent.WorkerAck ack(
            RseEvent.WorkerAck.Status status, Domain inbox, int attempt) {
        return new RseEvent.WorkerAck(NOW, Lane.CODE, ADA, ID, status, null, inbox, attempt);
    }

    @Test
    void everyRecordHasItsNameOnTheWire() {
        Arrays.stream(RseEvent.class.getPermittedSubclasses())
                .filter(type -> type != RseEvent.Other.class)
                .forEach(type ->
                        assertThat(RseTypes.nameOf(type.asSubclass(RseEvent.class)))
                                .isEqualTo(
                                        type.getSimpleName()
                                                .replaceAll("(?<!^)([A-Z])", "_$1")
                                                .toLowerCase(Locale.ROOT)));
    }

    @Test
    void anEventOfEveryNameIsTheRecordOfThatName() {
        RseLineTest.oneOfEachType()
                .forEach(event ->
                        assertThat(
                                        RseEvent.of(
                                                NOW,
                                                event.type(),
                                                event.lane(),
                                                event.actor(),
                                                event.data()))
                                .hasSameClassAs(event));
    }

    @Test
    void aRecordWithoutWhatItsTypeNeedsCannotBeMade() {
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        new RseEvent.PheromoneDrop(
                                NOW, Lane.CODE, "ada", Json.obj().put("ref", "r")))
                .withMessage(
                        "event pheromone_drop has data with [ref], expected the fields of its"
                                + " type");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> new RseEvent.Other(Instant.MAX, "x", Lane.CODE, "ada", Json.obj()))
                .withMessageStartingWith("ts: found ");
    }

    @Test
    void theSameStepWrittenAgainHasTheSameKey() {
        var done = RseEvent.WorkerAck.Status.DONE;
        var later =
                new RseEvent.WorkerAck(
                        NOW.plusSeconds(9), Lane.CODE, new Actor("doctor"), ID, done, "x", CODE, 1);
        assertThat(ack(done, CODE, 1).key()).isPresent().isEqualTo(later.key());
    }

    @Test
    void otherStepsCopiesAndAttemptsHaveOtherKeys() {
        var done = RseEvent.WorkerAck.Status.DONE;
        assertThat(
                        List.of(
                                ack(done, CODE, 1).key(),
                                ack(done, CODE, 2).key(),
                                ack(done, new Domain("docs"), 1).key(),
                                ack(RseEvent.WorkerAck.Status.ACCEPTED, CODE, 1).key(),
                                new RseEvent.QueenSelect(NOW, Lane.CODE, ADA, ID, "why", CODE, 1)
                                        .key()))
                .doesNotHaveDuplicates();
    }

    @Test
    void whatMayTrulyRepeatHasNoKey() {
        assertThat(
                        new RseEvent.PheromoneDrop(
                                        NOW, Lane.CODE, ADA, "t", Priority.P2, "r", null, List.of())
                                .key())
                .isEmpty();
        assertThat(new RseEvent.PheromoneSense(NOW, Lane.CODE, ADA, "r", null).key()).isEmpty();
        assertThat(new RseEvent.QueenSelect(NOW, Lane.CODE, ADA, "r", "strongest").key()).isEmpty();
    }

    @Test
    void anEventIsAboutItsIdOrElseItsReference() {
        assertThat(ack(RseEvent.WorkerAck.Status.DONE, CODE, 1).about()).contains(ID.text());
        assertThat(new RseEvent.PheromoneExpire(NOW, Lane.CODE, ADA, ID, CODE).about())
                .contains(ID.text());
        assertThat(new RseEvent.Backpressure(NOW, Lane.CODE, ADA, CODE, 1, 1, "enter").about())
                .isEmpty();
    }

    @Test
    void aCorrectionIsAnEventOfTheSameTypeThatSaysWhatItCorrects() {
        RseEvent correction = ack(RseEvent.WorkerAck.Status.DONE, CODE, 1).correcting("e1");
        assertThat(correction).isInstanceOf(RseEvent.WorkerAck.class);
        assertThat(correction.corrects()).contains("e1");
    }

    @Test
    void whatADropDoesNotSayReadablyHasADefault() {
        var drop =
                new RseEvent.PheromoneDrop(
                        NOW,
                        Lane.CODE,
                        "x",
                        Json.obj()
                                .put("topic", "t")
                                .put("priority", 1)
                                .put("ttl", "soon")
                                .put("tags", "a"));
        assertThat(drop.priority()).isEqualTo(Priority.P2);
        assertThat(drop.ttl()).isEmpty();
        assertThat(drop.tags()).isEmpty();
    }
}
