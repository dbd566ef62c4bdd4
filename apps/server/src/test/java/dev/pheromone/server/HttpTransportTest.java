package dev.pheromone.server;

import dev.pheromone.Transport;
import dev.pheromone.config.TrustYaml;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.http.HttpTransport;
import dev.pheromone.testkit.FakeClock;
import dev.pheromone.testkit.RepeatedOutcomeContract;
import dev.pheromone.testkit.TransportContract;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/// A served hive keeps every transport's promises, to those who reach it over HTTP.
final class HttpTransportTest implements TransportContract, RepeatedOutcomeContract {

    @TempDir Path root;
    private final FakeClock clock = new FakeClock(Instant.now());
    private final List<ServedHive> served = new ArrayList<>();
    private HttpTransport transport;

    @BeforeEach
    void open() throws Exception {
        Path hive = Files.createDirectory(root.resolve(".deia"));
        Files.write(hive.resolve("trust.yaml"), TrustYaml.write(TRUST));
        transport = serve().transport();
    }

    private ServedHive serve() throws Exception {
        ServedHive hive = new ServedHive(root, clock, UnaryOperator.identity());
        served.add(hive);
        return hive;
    }

    @AfterEach
    void close() throws IOException {
        transport.close();
        for (ServedHive hive : served) {
            hive.close();
        }
    }

    @Override
    public Transport transport() {
        return transport;
    }

    @Override
    public FakeClock clock() {
        return clock;
    }

    @Override
    public void lockHive() throws IOException {
        Files.createFile(root.resolve(".deia/ROTG-2-RESPECT-DO-NOT-ERASE.lock"));
    }

    @Override
    public List<String> log() throws IOException {
        return Files.readAllLines(new HiveLayout(root).log());
    }

    @Override
    public Transport reopened() throws IOException {
        try {
            return serve().transport();
        } catch (Exception e) {
            throw new IOException(e);
        }
    }
}
