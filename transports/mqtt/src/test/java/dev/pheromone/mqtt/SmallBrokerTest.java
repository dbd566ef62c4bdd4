package dev.pheromone.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Carrier;
import dev.pheromone.testkit.Mosquitto;
import dev.pheromone.testkit.ReceivingHive;
import dev.pheromone.testkit.SmallServerContract;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

@Timeout(120)
final class SmallBrokerTest implements SmallServerContract {

    @TempDir Path folder;
    private Mosquitto server;
    private MqttCarrier carrier;
    private ReceivingHive hive;
    private final Queue<String> troubles = new ConcurrentLinkedQueue<>();

    @BeforeEach
    void open() throws Exception {
        Mosquitto.refuseWithout("SmallBrokerTest");
        server = Mosquitto.start(folder, Mosquitto.OPEN + "max_packet_size 8000\n");
        MqttOptions options = MqttOptions.of(server.url(), "hive").withTroubles(troubles::add);
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

    @Test
    void anEventThatIsTooLargeIsToldAndStopsNoOther() throws Exception {
        carrier.publish("x".repeat(9_000));
        assertThat(troubles).singleElement().asString().contains("an event is not published");
        carrier.publish("{}");
    }

    @Override
    public Carrier transport() {
        return carrier;
    }
}
