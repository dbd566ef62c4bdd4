package dev.pheromone.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.AwayException;
import dev.pheromone.Carrier;
import dev.pheromone.SendResult;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Envelope;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Instant;
import java.util.List;

/// What a carrier says where the owner of its server allows less than an envelope may have.
public interface SmallServerContract {

    Domain CODE = Domain.parse("code");

    /// A hive that receives for inbox `code` on a server that takes no message of 20,000 bytes.
    Carrier transport();

    @Test
    default void whatIsTooLargeIsRefusedAndNobodyIsAway() throws Exception {
        assertThat(send("x".repeat(20_000)))
                .isInstanceOfSatisfying(
                        SendResult.Failed.class,
                        failed ->
                                assertThat(failed.cause())
                                        .isInstanceOf(IOException.class)
                                        .isNotInstanceOf(AwayException.class)
                                        .hasMessageContaining("takes no such message"));
        assertThat(send("now")).isInstanceOf(SendResult.Delivered.class);
    }

    private SendResult send(String body) throws Exception {
        Envelope envelope =
                Envelope.draft(
                                Actor.parse("ada"),
                                List.of(Address.parse("queen://code")),
                                Lane.CODE,
                                "deploy")
                        .ts(Instant.now())
                        .body(body)
                        .seal();
        return transport().send(envelope).copies().getFirst().result();
    }
}
