package dev.pheromone.cli;

import dev.pheromone.testkit.NatsServer;

import org.junit.jupiter.api.AfterEach;

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

    @AfterEach
    void end() {
        if (server != null) {
            server.close();
        }
    }
}
