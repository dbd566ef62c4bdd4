package dev.pheromone.file;

import dev.pheromone.HiveConfig;
import dev.pheromone.Transport;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.ForgetfulDisk;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.file.copy.FileLimits;
import dev.pheromone.testkit.BadMailContract;
import dev.pheromone.testkit.FakeClock;
import dev.pheromone.testkit.OtherProcess;
import dev.pheromone.testkit.ProcessContract;
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
final class FileTransportTest
        implements TransportContract, RepeatedOutcomeContract, BadMailContract, ProcessContract {

    @TempDir Path root;
    private TestHive hive;
    private ForgetfulDisk disk;
    private FileTransport transport;

    @BeforeEach
    void open() throws IOException {
        hive = new TestHive(root);
        disk = new ForgetfulDisk(root.toRealPath(), ForgetfulDisk.More.NOTHING);
        transport = open(hive, disk);
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
    public String kept(EnvelopeId id) throws IOException {
        return Files.readString(hive.layout.history(CODE, id.text()));
    }

    @Override
    public void put(EnvelopeId id, byte[] bytes) throws IOException {
        Files.write(hive.layout.mail(CODE, id), bytes);
    }

    @Override
    public Transport afterPowerCut() throws IOException {
        disk.cutPower();
        return reopened();
    }

    @Override
    public Transport reopened() {
        return open(hive, new LocalDisk());
    }

    private static FileTransport open(TestHive hive, Disk disk) {
        return hive.open(disk, HiveConfig.defaults(), TRUST, FileLimits.defaults());
    }

    @Override
    public OtherProcess startOther() throws IOException {
        return OtherProcess.start(hive.clock, Other.class, root.toString());
    }

    /// Another process that has the hive in a folder open.
    static final class Other {

        private Other() {}

        public static void main(String[] arguments) throws Exception {
            OtherProcess.obey(
                    clock -> open(new TestHive(Path.of(arguments[0]), clock), new LocalDisk()));
        }
    }
}
