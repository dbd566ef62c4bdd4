package dev.pheromone.mqtt;

import dev.pheromone.testkit.JavaServer;
import dev.pheromone.testkit.KillableServer;
import dev.pheromone.testkit.Mosquitto;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// The brokers that a carrier is tested with.
enum Broker {
    MOSQUITTO,
    HIVEMQ,
    ARTEMIS;

    /// Mosquitto writes its file once a second, and forgets what came since when it is killed.
    private static final String SAVES_OFTEN =
            """
            persistence true
            autosave_interval 1
            max_queued_messages 0
            set_tcp_nodelay true
            """;

    /// Those that the short form tests with, or all in the long form.
    static List<Broker> inThisForm() {
        return Boolean.getBoolean("rsm.long") ? List.of(values()) : List.of(MOSQUITTO, HIVEMQ);
    }

    /// Starts one with its files in `folder`.
    KillableServer start(Path folder) throws IOException {
        return switch (this) {
            case MOSQUITTO -> {
                Mosquitto.refuseWithout("MqttCarrier on Mosquitto");
                yield Mosquitto.start(
                        Files.createDirectories(folder), Mosquitto.OPEN + SAVES_OFTEN);
            }
            case HIVEMQ -> JavaServer.start(HiveMqMain.class, folder);
            case ARTEMIS -> JavaServer.start(ArtemisMain.class, folder);
        };
    }

    static String url(KillableServer broker) {
        return "mqtt://127.0.0.1:" + broker.port();
    }
}
