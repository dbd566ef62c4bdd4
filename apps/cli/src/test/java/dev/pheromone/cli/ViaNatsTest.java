package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.testkit.NatsServer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.nio.file.Path;

/// By way of a NATS server.
final class ViaNatsTest extends ViaContract {

    private NatsServer server;

    @Override
    String transport(Path folder) throws Exception {
        if (server == null) {
            NatsServer.refuseWithout("ViaNatsTest");
            server = NatsServer.start(Files.createDirectories(folder));
        }
        return "{url: \"%s\"}".formatted(server.url());
    }

    @Override
    void kill() {
        server.kill();
    }

    @Override
    void restart() throws Exception {
        server.restart();
    }

    @Test
    void whyAHiveThereCannotBeOpenedIsSaidOnce() throws Exception {
        Session ann = session("ann");
        ok(ann, "send --via team --to code before");
        configure(ann, "team: {url: \"%s\", replicas: 3}".formatted(server.url()));
        Session.Result refused = rsm(ann, "send --via team --to code hello");
        assertThat(refused.exit()).isEqualTo(1);
        assertThat(refused.err())
                .containsOnlyOnce("replicas: found 1 of ")
                .startsWith("rsm: error: replicas: found 1 of ");
    }

    @AfterEach
    void end() {
        if (server != null) {
            server.close();
        }
    }
}
