package dev.pheromone.file;

import dev.pheromone.HiveConfig;
import dev.pheromone.Transport;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.testkit.FakeClock;
import dev.pheromone.testkit.RepeatedOutcomeContract;
import dev.pheromone.testkit.TransportContract;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// The file transport keeps every transport's promises.
final class FileTransportTest implements TransportContract, RepeatedOutcomeContract {

    @TempDir Path root;
    private TestHive hive;
    private FileTransport transport;

    @BeforeEach
    void open() throws IOException {
        hive = new TestHive(root);
        transport = reopened();
    }

    @AfterEach
    void close() throws IOException {
        transport.close();
    }

    @Override
    public Transport transport() {
        return transport;
    }

    @Override
    public FakeClock clock() {
        return hive.clock;
    }

    @Override
    public void lockHive() throws IOException {
        Files.createFile(hive.layout.hive().resolve("ROTG-2-RESPECT-DO-NOT-ERASE.lock"));
    }

    @Override
    public List<String> log() throws IOException {
        return Files.readAllLines(hive.layout.log());
    }

    @Override
    public FileTransport reopened() {
        return hive.open(new LocalDisk(), HiveConfig.defaults(), TRUST, FileLimits.defaults());
    }
}
