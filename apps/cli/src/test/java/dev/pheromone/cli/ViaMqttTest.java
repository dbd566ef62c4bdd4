package dev.pheromone.cli;

import dev.pheromone.testkit.Mosquitto;

import org.junit.jupiter.api.AfterEach;

import java.nio.file.Files;
import java.nio.file.Path;

/// By way of an MQTT broker.
final class ViaMqttTest extends ViaContract {

    private Mosquitto broker;

    @Override
    String transport(Path folder) throws Exception {
        if (broker == null) {
            Mosquitto.refuseWithout("ViaMqttTest");
            broker =
                    Mosquitto.start(
                            Files.createDirectories(folder), Mosquitto.DURABLE + Mosquitto.OPEN);
        }
        return "{url: \"%s\"}".formatted(broker.url());
    }

    @Override
    void kill() {
        broker.kill();
    }

    @Override
    void restart() throws Exception {
        broker.restart();
    }

    @AfterEach
    void end() {
        if (broker != null) {
            broker.close();
        }
    }
}
