package dev.pheromone.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Capability;
import dev.pheromone.Domain;
import dev.pheromone.http.HttpOptions;
import dev.pheromone.http.HttpTransport;
import dev.pheromone.testkit.FakeClock;
import dev.pheromone.testkit.MemoryTransport;

import org.eclipse.jetty.server.Server;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Optional;

/// What a client promises is what its server says that its hive does.
final class PromisesTest {

    private static final InetSocketAddress HERE =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    @Test
    void aServedFolderPromisesAllButClaimsThatEndWithTheirProcess(@TempDir Path root)
            throws Exception {
        try (ServedHive hive = new ServedHive(root);
                HttpTransport transport = hive.transport()) {
            hive.lock();
            assertThat(transport.capabilities())
                    .isEqualTo(EnumSet.complementOf(EnumSet.of(Capability.ATTENDED_LEASES)));
        }
    }

    @Test
    void aServedTransportThatPromisesLessIsNotPromisedMoreOf() throws Exception {
        FakeClock clock = new FakeClock(Instant.parse("2025-10-15T17:10:00Z"));
        try (MemoryTransport memory = new MemoryTransport(clock, Domain.parse("ops"));
                EventHubTest.Lines log = new EventHubTest.Lines();
                HttpEndpoint endpoint =
                        HttpEndpoint.start(
                                ServerOptions.at(HERE).withToken(ServedHive.TOKEN),
                                memory,
                                log,
                                _ -> Optional.empty(),
                                HiveFigures.none(),
                                clock);
                HttpTransport transport =
                        new HttpTransport(
                                HttpOptions.of(endpoint.url()).withToken(ServedHive.TOKEN))) {
            assertThat(transport.capabilities()).isEqualTo(memory.capabilities());
        }
    }

    @Test
    void aServerThatDoesNotSayPromisesNothing() throws Exception {
        Server older = new Server(HERE);
        older.start();
        try (HttpTransport transport = new HttpTransport(HttpOptions.of(older.getURI()))) {
            assertThat(transport.capabilities()).isEmpty();
        } finally {
            older.stop();
        }
    }

    @Test
    void aServerThatIsAwayPromisesNothing() throws Exception {
        HttpOptions away = HttpOptions.of(URI.create("http://127.0.0.1:1")).withTries(1);
        try (HttpTransport transport = new HttpTransport(away)) {
            assertThat(transport.capabilities()).isEmpty();
        }
    }
}
