package dev.pheromone.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Capability;
import dev.pheromone.Inbox;
import dev.pheromone.Lag;
import dev.pheromone.Receipt;
import dev.pheromone.Transport;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.address.Reach;
import dev.pheromone.envelope.Envelope;
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
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;

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
    void aServedTransportThatPromisesLessIsNotPromisedMoreOf(@TempDir Path root) throws Exception {
        FakeClock clock = new FakeClock(Instant.parse("2025-10-15T17:10:00Z"));
        try (MemoryTransport memory = new MemoryTransport(clock, Domain.parse("ops"));
                ServedHive hive = new ServedHive(root);
                HttpEndpoint endpoint = hive.serve(memory, options -> options);
                HttpTransport transport =
                        new HttpTransport(
                                HttpOptions.of(endpoint.url()).withToken(ServedHive.TOKEN))) {
            assertThat(transport.capabilities()).isEqualTo(memory.capabilities());
        }
    }

    /// A transport that is slow, has no mail, and declares no capability.
    private record Slow(MemoryTransport mail, Lag lag) implements Transport {

        @Override
        public Reach reach() {
            return mail.reach();
        }

        @Override
        public Receipt send(Envelope envelope) throws NoSuchInboxException {
            return mail.send(envelope);
        }

        @Override
        public List<Domain> domains() {
            return mail.domains();
        }

        @Override
        public Inbox inbox(Domain domain) throws NoSuchInboxException {
            return mail.inbox(domain);
        }

        @Override
        public void close() {}
    }

    @Test
    void aServedTransportThatIsSlowIsSaidToBe(@TempDir Path root) throws Exception {
        FakeClock clock = new FakeClock(Instant.parse("2025-10-15T17:10:00Z"));
        Lag lag = new Lag(Duration.ofMillis(1_500), Duration.ofSeconds(31));
        try (MemoryTransport memory = new MemoryTransport(clock, Domain.parse("ops"));
                ServedHive hive = new ServedHive(root);
                HttpEndpoint endpoint = hive.serve(new Slow(memory, lag), options -> options);
                HttpTransport transport =
                        new HttpTransport(
                                HttpOptions.of(endpoint.url()).withToken(ServedHive.TOKEN))) {
            assertThat(transport.lag()).isEqualTo(lag);
        }
    }

    @Test
    void aTransportThatDeclaresNothingPromisesNothing(@TempDir Path root) throws Exception {
        FakeClock clock = new FakeClock(Instant.parse("2025-10-15T17:10:00Z"));
        try (MemoryTransport memory = new MemoryTransport(clock, Domain.parse("ops"));
                Transport silent = new Slow(memory, Lag.NONE);
                ServedHive hive = new ServedHive(root);
                HttpEndpoint endpoint = hive.serve(silent, options -> options);
                HttpTransport transport =
                        new HttpTransport(
                                HttpOptions.of(endpoint.url()).withToken(ServedHive.TOKEN))) {
            assertThat(silent.capabilities()).isEmpty();
            assertThat(transport.capabilities()).isEmpty();
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
