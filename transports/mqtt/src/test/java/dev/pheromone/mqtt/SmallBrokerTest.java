package dev.pheromone.mqtt;

import dev.pheromone.Transport;
import dev.pheromone.testkit.Mosquitto;
import dev.pheromone.testkit.SmallServerContract;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;

@Timeout(120)
final class SmallBrokerTest implements SmallServerContract {

    @TempDir Path folder;
    private Mosquitto server;
    private MqttTransport transport;

    @BeforeEach
    void open() throws IOException {
        Mosquitto.refuseWithout("SmallBrokerTest");
        server = Mosquitto.start(folder, Mosquitto.OPEN + "max_packet_size 8000\n");
        transport =
                MqttTransport.open(
                        MqttOptions.of(server.url(), "hive").withInboxes(List.of(CODE)),
                        InstantSource.system());
    }

    @AfterEach
    void close() throws IOException {
        transport.close();
        server.close();
    }

    @Override
    public Transport transport() {
        return transport;
    }
}
