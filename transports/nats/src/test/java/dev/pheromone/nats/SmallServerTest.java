package dev.pheromone.nats;

import dev.pheromone.Transport;
import dev.pheromone.testkit.NatsServer;
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
final class SmallServerTest implements SmallServerContract {

    @TempDir Path folder;
    private NatsServer server;
    private NatsTransport transport;

    @BeforeEach
    void open() throws IOException {
        NatsServer.refuseWithout("SmallServerTest");
        server = NatsServer.start(folder, "max_payload: 4096\n");
        transport =
                NatsTransport.open(
                        NatsOptions.of(server.url(), "hive").withInboxes(List.of(CODE)),
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
