package dev.pheromone.server;

import dev.pheromone.Transport;
import dev.pheromone.address.Domain;
import dev.pheromone.config.TrustYaml;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.ForgetfulDisk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.http.HttpOptions;
import dev.pheromone.http.HttpTransport;
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
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/// A served hive keeps every transport's promises, to those who reach it over HTTP.
final class HttpTransportTest
        implements TransportContract, RepeatedOutcomeContract, BadMailContract, ProcessContract {

    @TempDir Path root;
    private final FakeClock clock = new FakeClock(Instant.now());
    private final List<ServedHive> served = new ArrayList<>();
    private HiveLayout layout;
    private ForgetfulDisk disk;
    private HttpTransport transport;

    @BeforeEach
    void open() throws Exception {
        layout = new HiveLayout(root.toRealPath());
        for (Domain inbox : List.of(CODE, DOCS)) {
            Files.createDirectories(layout.drafts(inbox));
        }
        Files.write(layout.hive().resolve("trust.yaml"), TrustYaml.write(TRUST));
        disk = new ForgetfulDisk(layout.root(), ForgetfulDisk.More.NOTHING);
        transport = serve(disk).transport();
    }

    private ServedHive serve(Disk on) throws Exception {
        ServedHive hive = new ServedHive(root, on, clock, UnaryOperator.identity());
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
        Files.createFile(layout.hive().resolve("ROTG-2-RESPECT-DO-NOT-ERASE.lock"));
    }

    @Override
    public List<String> log() throws IOException {
        return Files.readAllLines(layout.log());
    }

    @Override
    public Transport reopened() throws IOException {
        try {
            return serve(new LocalDisk()).transport();
        } catch (Exception e) {
            throw new IOException(e);
        }
    }

    @Override
    public String kept(EnvelopeId id) throws IOException {
        return Files.readString(layout.history(CODE, id.text()));
    }

    @Override
    public void put(EnvelopeId id, byte[] bytes) throws IOException {
        Files.write(layout.mail(CODE, id), bytes);
    }

    @Override
    public Transport afterPowerCut() throws IOException {
        disk.cutPower();
        return reopened();
    }

    @Override
    public OtherProcess startOther() throws IOException {
        return OtherProcess.start(clock, Other.class, served.getFirst().endpoint.url().toString());
    }

    /// Another process that is a client of the server.
    static final class Other {

        private Other() {}

        public static void main(String[] arguments) throws Exception {
            HttpOptions options =
                    HttpOptions.of(URI.create(arguments[0])).withToken(ServedHive.TOKEN);
            OtherProcess.obey(_ -> new HttpTransport(options));
        }
    }
}
