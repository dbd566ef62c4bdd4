package dev.pheromone.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Actor;
import dev.pheromone.Address;
import dev.pheromone.AwayException;
import dev.pheromone.Domain;
import dev.pheromone.Envelope;
import dev.pheromone.Lane;
import dev.pheromone.SendResult;
import dev.pheromone.testkit.Mosquitto;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/// A broker whose owner allows less than an envelope may have.
@Timeout(120)
final class SmallBrokerTest {

    @TempDir Path folder;

    private static SendResult send(MqttTransport transport, String body) throws Exception {
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
        Mosquitto.refuseWithout("SmallBrokerTest");
        try (Mosquitto server =
                Mosquitto.start(folder, Mosquitto.OPEN + "max_packet_size 8000\n")) {
            MqttOptions options =
                    MqttOptions.of(server.url(), "hive").withInboxes(List.of(Domain.parse("code")));
            try (MqttTransport transport = MqttTransport.open(options, InstantSource.system())) {
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
