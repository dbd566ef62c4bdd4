package dev.pheromone.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.HiveConfig;
import dev.pheromone.SendResult;
import dev.pheromone.Transport;
import dev.pheromone.envelope.Consent;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Priority;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.selection.Waiting;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/// The hive in memory keeps what every transport promises, and what it declares beyond that.
final class MemoryTransportTest implements TransportContract, RepeatedOutcomeContract {

    private final FakeClock clock = new FakeClock(Instant.parse("2025-10-15T17:10:00Z"));
    private final MemoryTransport transport = new MemoryTransport(clock, TRUST, CHECK, CODE, DOCS);

    @Test
    void withoutACheckPublicMailIsRefusedAndTheWayOutIsNamed() throws Exception {
        MemoryTransport unchecked = new MemoryTransport(clock, TRUST, CODE);
        Envelope open = mail("open").consent(Consent.PUBLIC).seal();
        assertThat(unchecked.send(open).copies().getFirst().result())
                .isInstanceOfSatisfying(
                        SendResult.NotPublic.class,
                        refused -> {
                            assertThat(refused.kinds()).isEmpty();
                            assertThat(refused.reason()).contains("PublicCheck", "RedactionCheck");
                        });
        assertThat(unchecked.inbox(CODE).waiting()).isEmpty();
    }

    @Override
    public Transport transport() {
        return transport;
    }

    @Override
    public FakeClock clock() {
        return clock;
    }

    @Override
    public Transport reopened() {
        return transport;
    }

    @Override
    public String kept(EnvelopeId id) {
        return transport.life(id, CODE).orElseThrow().toString();
    }

    @Override
    public Map<Class<?>, String> leftOut() {
        return Map.of(
                BadMailContract.class, "an inbox in memory has envelopes, and nobody writes bytes",
                ProcessContract.class, "memory is that of one process");
    }

    @Test
    void decayDoesNotDependOnTheDueTurn() throws Exception {
        HiveConfig usual = HiveConfig.defaults();
        HiveConfig config =
                new HiveConfig(
                        usual.domains(),
                        usual.lanes(),
                        usual.signatures(),
                        usual.archive(),
                        usual.ttl(),
                        usual.halfLife(),
                        2,
                        usual.backpressure(),
                        usual.sender(),
                        usual.lease(),
                        usual.attempts(),
                        usual.scopes(),
                        usual.transports(),
                        usual.notifying(),
                        usual.separate());
        MemoryTransport hive = new MemoryTransport(clock, TRUST, config, CODE);
        Envelope old = mail("old").priority(Priority.P1).ttl(Ttl.parse("4h")).seal();
        hive.send(old);
        clock.advance(Duration.ofMinutes(61));
        assertThat(hive.inbox(CODE).waiting())
                .extracting(waiting ->
                        ((Waiting.Mail) waiting).urgency().effectiveClass(clock.instant()))
                .containsExactly(2);
    }
}
