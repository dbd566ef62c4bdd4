package dev.pheromone.mqtt;

import dev.pheromone.Carrier;
import dev.pheromone.testkit.Mosquitto;
import dev.pheromone.testkit.ReceivingHive;
import dev.pheromone.testkit.SmallServerContract;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.InstantSource;

@Timeout(120)
final class SmallBrokerTest implements SmallServerContract {

    @TempDir Path folder;
    private Mosquitto server;
    private MqttCarrier carrier;
    private ReceivingHive hive;

    @BeforeEach
    void open() throws Exception {
        Mosquitto.refuseWithout("SmallBrokerTest");
        server = Mosquitto.start(folder, Mosquitto.OPEN + "max_packet_size 8000\n");
        MqttOptions options = MqttOptions.of(server.url(), "hive");
        carrier = MqttCarrier.open(options, InstantSource.system());
        hive =
                new ReceivingHive(
                        MqttCarrier.open(options, InstantSource.system()),
                        InstantSource.system(),
                        CODE);
    }

    @AfterEach
    void close() throws Exception {
        hive.close();
        carrier.close();
        server.close();
    }

    @Override
    public Carrier transport() {
        return carrier;
    }
}
