package dev.pheromone.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pheromone.Claim;
import dev.pheromone.Ended;
import dev.pheromone.Outcome;
import dev.pheromone.State;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeDraft;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Priority;
import dev.pheromone.life.Why;
import dev.pheromone.selection.Waiting;
import dev.pheromone.text.Json;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// Bad mail that somebody wrote past us is set aside with its reason, and keeps no other mail back.
/// Beside [TransportContract], for the transports whose mail is bytes that others can write.
///
/// The reason is read from [dev.pheromone.Transport#ended]. A transport that does not show what has
/// ended needs a [#log] with the event `rsm_envelope_dead`.
public interface BadMailContract extends CapabilityContract {

    /// For how long a file that is no mail may still be taken for one that is being written.
    Duration UNFINISHED_MAX = Duration.ofMinutes(1);

    /// Puts bytes where a copy with this id lies in `CODE`, before all other mail, as somebody does
    /// who knows nothing of us.
    void put(EnvelopeId id, byte[] bytes) throws IOException;

    /// Bytes that are no mail for `CODE`.
    ///
    /// @param reason what must stand in the reason
    // Never compared, and nobody writes into the bytes.
    @SuppressWarnings("ArrayRecordComponent")
    record Bad(EnvelopeId id, byte[] bytes, String reason) {

        static Bad of(Envelope envelope, String reason) {
            return new Bad(envelope.id(), envelope.bytes(), reason);
        }
    }

    private EnvelopeDraft urgent(String topic) {
        return mail(topic).id(EnvelopeId.random(clock().instant())).priority(Priority.P0);
    }

    private List<Bad> bad() {
        EnvelopeId nobodys = EnvelopeId.random(clock().instant());
        EnvelopeId empty = EnvelopeId.random(clock().instant());
        Envelope cut = urgent("cut short").seal();
        Envelope grown = urgent("too large").seal();
        byte[] large = Arrays.copyOf(grown.bytes(), 200_000);
        Envelope forged = urgent("forged").body("one\n").seal();
        byte[] other =
                new String(forged.bytes(), UTF_8).replace("\none\n", "\ntwo\n").getBytes(UTF_8);
        Instant ahead = clock().instant().plus(Duration.ofHours(25)).truncatedTo(ChronoUnit.MILLIS);
        return List.of(
                new Bad(nobodys, new byte[] {1, 2, 3}, ""),
                new Bad(empty, new byte[0], ""),
                new Bad(cut.id(), Arrays.copyOf(cut.bytes(), cut.bytes().length / 2), ""),
                new Bad(grown.id(), large, ""),
                new Bad(forged.id(), other, Why.WRONG_HASH.text()),
                Bad.of(
                        Envelope.draft(SENDER, List.of(DOCS.address()), Lane.CODE, "astray")
                                .ts(clock().instant())
                                .priority(Priority.P0)
                                .seal(),
                        Why.MISADDRESSED.text(CODE.address())),
                Bad.of(urgent("early").ts(ahead).seal(), Why.DATED_AHEAD.text(ahead)),
                Bad.of(
                        Envelope.draft(SIGNER, List.of(CODE.address()), Lane.CODE, "unsigned")
                                .ts(clock().instant())
                                .priority(Priority.P0)
                                .seal(),
                        Why.BAD_SIGNATURE.text("")));
    }

    @Test
    default void badMailIsSetAsideWithItsReasonAndKeepsNoOtherBack() throws Exception {
        List<Bad> bad = bad();
        for (Bad one : bad) {
            put(one.id(), one.bytes());
        }
        Envelope good = mail("good").priority(Priority.P3).seal();
        send(good);
        assertThat(inbox().waiting())
                .filteredOn(Waiting.Mail.class::isInstance)
                .extracting(waiting -> ((Waiting.Mail) waiting).header().id())
                .contains(good.id());

        Claim claim = take(inbox());
        assertThat(claim.envelope()).isEqualTo(good);
        assertSettled(inbox().settle(claim.token(), new Outcome.Done("")), State.DONE);
        clock().advance(UNFINISHED_MAX);
        for (Bad one : bad) {
            assertThat(awaitReason(one.id()))
                    .as("the reason of %s", new String(one.bytes(), UTF_8))
                    .hasValueSatisfying(
                            reason -> assertThat(reason).isNotBlank().contains(one.reason()));
        }
        assertHeldBack(inbox());
        assertThat(inbox().waiting()).isEmpty();
    }

    /// Why the bytes were set aside, which must be shown or told within the declared lag.
    private Optional<String> awaitReason(EnvelopeId id) throws Exception {
        return Lookout.within(
                transport().lag().longest(),
                () -> {
                    assertNothing(inbox());
                    return reason(id);
                },
                Optional::isPresent);
    }

    /// The reason as the transport shows what has ended; where it does not, as the log has it.
    private Optional<String> reason(EnvelopeId id) throws IOException {
        Optional<List<Ended>> shown = transport().ended(100);
        if (shown.isPresent()) {
            return shown.get().stream()
                    .filter(ended -> Objects.equals(ended.id(), id))
                    .filter(ended -> ended.state() == State.DEAD)
                    .map(Ended::reason)
                    .findFirst();
        }
        return events(id).stream()
                .filter(event -> event.text("type").equals("rsm_envelope_dead"))
                .map(event -> event.object("data"))
                .map(BadMailContract::reasonOf)
                .findFirst();
    }

    private static String reasonOf(Json.Obj data) {
        return data.optionalText("reason").orElse("");
    }
}
