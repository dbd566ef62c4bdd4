package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.testkit.Mosquitto;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

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

    @Test
    void doctorSaysWhichBrokerItFoundAndThatOnlyMosquittoWillDo() throws Exception {
        assertThat(ok(session("ann"), "doctor"))
                .contains("note: transport team: it is mosquitto version ")
                .contains("Mosquitto, the only broker known to keep the promises: with HiveMQ CE");
    }

    @Test
    void doctorWarnsOfABrokerThatDoesNotSayItIsMosquitto() throws Exception {
        Mosquitto.refuseWithout("ViaMqttTest");
        broker =
                Mosquitto.start(
                        Files.createDirectories(temp.resolve("silent")),
                        Mosquitto.DURABLE + Mosquitto.OPEN + "sys_interval 0\n");
        assertThat(ok(session("ann"), "doctor"))
                .contains("warning: transport team: found a broker that does not say what it is,")
                .contains("expected Mosquitto, the only broker known to keep the promises");
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
