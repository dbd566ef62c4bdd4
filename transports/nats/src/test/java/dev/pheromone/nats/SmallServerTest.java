package dev.pheromone.nats;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Actor;
import dev.pheromone.Address;
import dev.pheromone.AwayException;
import dev.pheromone.Domain;
import dev.pheromone.Envelope;
import dev.pheromone.Lane;
import dev.pheromone.SendResult;
import dev.pheromone.testkit.NatsServer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/// A server whose owner allows less than an envelope may have.
@Timeout(120)
final class SmallServerTest {

    @TempDir Path folder;

    private static SendResult send(NatsTransport transport, String body) throws Exception {
        Envelope envelope =
                Envelope.draft(
                                Actor.parse("ada"),
                                List.of(Address.parse("queen://code")),
                                Lane.CODE,
                                "deploy")
                        .ts(Instant.now())
                        .body(body)
                        .seal();
        return transport.send(envelope).copies().getFirst().result();
    }

    @Test
    void whatIsTooLargeForItIsRefusedAndNobodyIsAway() throws Exception {
        NatsServer.refuseWithout("SmallServerTest");
        try (NatsServer server = NatsServer.start(folder, "max_payload: 4096\n")) {
            NatsOptions options =
                    NatsOptions.of(server.url(), "hive").withInboxes(List.of(Domain.parse("code")));
            try (NatsTransport transport = NatsTransport.open(options, InstantSource.system())) {
                assertThat(send(transport, "x".repeat(20_000)))
                        .isInstanceOfSatisfying(
                                SendResult.Failed.class,
                                failed ->
                                        assertThat(failed.cause())
                                                .isInstanceOf(IOException.class)
                                                .isNotInstanceOf(AwayException.class)
                                                .hasMessageContaining("takes no such message"));
                assertThat(send(transport, "now")).isInstanceOf(SendResult.Delivered.class);
            }
        }
    }
}
