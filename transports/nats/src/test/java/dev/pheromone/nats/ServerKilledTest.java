package dev.pheromone.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.SendResult;
import dev.pheromone.Settlement;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.testkit.Mailstorm;
import dev.pheromone.testkit.NatsServer;

import io.nats.client.api.ClusterInfo;
import io.nats.client.api.Replica;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Servers that are killed while mail is sent and worked on: what was acknowledged is not lost, and
/// has one effect.
final class ServerKilledTest {

    private static final boolean LONG = Boolean.getBoolean("rsm.long");

    private static final Actor WORKER = Actor.parse("worker");

    @TempDir Path folder;

    @Test
    void nothingAcknowledgedIsLostWhenTheServerIsKilledAndStartedAgain() throws Exception {
        NatsServer.refuseWithout("ServerKilledTest");
        int count = LONG ? 10_000 : 500;
        try (NatsServer server = NatsServer.start(folder)) {
            NatsOptions options = options(server.url());
            NatsTransport.open(options, InstantSource.system()).close();
            Mailstorm storm = storm(options, count);
            storm.start();
            for (int part = 1; part <= 2; part++) {
                int enough = count * part / 3;
                storm.awaitUntil(() -> storm.acknowledged() >= enough);
                server.kill();
                server.restart();
            }
            storm.finish();
        }
    }

    @Test
    void nothingAcknowledgedIsLostWhenTheLeaderOfAClusterIsKilled() throws Exception {
        NatsServer.refuseWithout("ServerKilledTest");
        int count = LONG ? 5_000 : 200;
        List<NatsServer> servers = NatsServer.startCluster(folder, 3);
        try {
            String urls = String.join(",", servers.stream().map(NatsServer::url).toList());
            NatsOptions options = options(urls).withReplicas(3);
            awaitOpen(options);
            Mailstorm storm = storm(options, count);
            storm.start();
            storm.awaitUntil(() -> storm.acknowledged() >= count / 3);
            servers.get(leader(options)).kill();
            storm.finish();
        } finally {
            servers.forEach(NatsServer::close);
        }
    }

    /// As after a power cut at its worst.
    @Test
    void whatANodeForgetsTheOthersKnow() throws Exception {
        NatsServer.refuseWithout("ServerKilledTest");
        int count = 30;
        List<NatsServer> servers = NatsServer.startCluster(folder, 3);
        try {
            String urls = String.join(",", servers.stream().map(NatsServer::url).toList());
            NatsOptions options = options(urls).withReplicas(3);
            awaitOpen(options);
            Set<EnvelopeId> taken = new HashSet<>();
            try (NatsTransport transport = NatsTransport.open(options, InstantSource.system())) {
                for (int i = 0; i < count; i++) {
                    assertThat(transport.send(mail()).copies().getFirst().result())
                            .isInstanceOf(SendResult.Delivered.class);
                }
                for (int lost = 0; lost < (LONG ? 3 : 1); lost++) {
                    NatsServer server = servers.get(leader(options));
                    server.kill();
                    server.restartEmpty();
                    Awaitility.await()
                            .atMost(Duration.ofMinutes(1))
                            .ignoreExceptionsInstanceOf(IOException.class)
                            .until(() -> isComplete(options));
                }
                Inbox inbox = transport.inbox(Mailstorm.CODE);
                while (inbox.select(WORKER, Lease.unattended(Duration.ofMinutes(5)))
                        instanceof Selection.Taken(var claim)) {
                    assertThat(taken.add(claim.envelope().id())).isTrue();
                    assertThat(inbox.settle(claim.token(), new Outcome.Done("")))
                            .isInstanceOf(Settlement.Settled.class);
                }
            }
            assertThat(taken).hasSize(count);
        } finally {
            servers.forEach(NatsServer::close);
        }
    }

    /// Whether each node has all that it should.
    private static boolean isComplete(NatsOptions options) throws Exception {
        try (ReconnectingConnection connection = new ReconnectingConnection(options)) {
            for (String name : connection.ask(() -> connection.management().getStreamNames())) {
                ClusterInfo cluster =
                        connection
                                .ask(() -> connection.management().getStreamInfo(name))
                                .getClusterInfo();
                if (cluster.getLeader() == null
                        || cluster.getReplicas().size() != 2
                        || !cluster.getReplicas().stream().allMatch(Replica::isCurrent)) {
                    return false;
                }
            }
            return true;
        }
    }

    /// A node behind a cut cable says nothing, not even that it is gone.
    @Test
    void aNodeThatFallsSilentIsLeft() throws Exception {
        NatsServer.refuseWithout("ServerKilledTest");
        List<NatsServer> servers = NatsServer.startCluster(folder, 3);
        try {
            String urls = String.join(",", servers.stream().map(NatsServer::url).toList());
            NatsOptions options =
                    options(urls)
                            .withReplicas(3)
                            .withWaits(Duration.ofSeconds(40), Duration.ofSeconds(1));
            awaitOpen(options);
            try (NatsTransport transport = NatsTransport.open(options, InstantSource.system())) {
                // One of all is the one to which we are connected.
                for (NatsServer server : servers.subList(0, LONG ? servers.size() : 1)) {
                    server.fallSilent();
                    assertThat(transport.send(mail()).copies().getFirst().result())
                            .isInstanceOf(SendResult.Delivered.class);
                    server.goOn();
                }
            }
        } finally {
            servers.forEach(NatsServer::close);
        }
    }

    @Test
    void silenceIsNotTakenForAnEmptyInbox() throws Exception {
        NatsServer.refuseWithout("ServerKilledTest");
        try (NatsServer server = NatsServer.start(folder);
                NatsTransport transport =
                        NatsTransport.open(options(server.url()), InstantSource.system())) {
            var _ = transport.send(mail());
            Inbox inbox = transport.inbox(Mailstorm.CODE);
            Lease lease = Lease.unattended(Duration.ofMinutes(1));
            server.fallSilent();
            assertThatThrownBy(() -> inbox.select(WORKER, lease)).isInstanceOf(IOException.class);
            server.goOn();
            // Where the server still took the claim before it fell silent, the lease ends first.
            Awaitility.await()
                    .atMost(Duration.ofSeconds(90))
                    .ignoreExceptionsInstanceOf(IOException.class)
                    .until(() -> inbox.select(WORKER, lease) instanceof Selection.Taken);
        }
    }

    /// Here it never gets an answer; one that is moved to another server does later.
    @Test
    void aConsumerThatKeepsSilentIsNotTakenForAnEmptyInbox() throws Exception {
        NatsServer.refuseWithout("ServerKilledTest");
        String mute =
                """
                authorization { users: [
                  { user: sender, password: right }
                  { user: worker, password: right, permissions: {
                      publish: { deny: "$JS.API.CONSUMER.MSG.NEXT.>" } } }
                ] }
                """;
        try (NatsServer server = NatsServer.start(folder, mute)) {
            NatsOptions options =
                    options(server.url()).withWaits(Duration.ofSeconds(2), Duration.ofSeconds(1));
            Lease lease = Lease.unattended(Duration.ofMinutes(1));
            try (NatsTransport sender =
                            NatsTransport.open(
                                    options.withLogin(
                                            new NatsLogin.Password("sender", () -> "right")),
                                    InstantSource.system());
                    NatsTransport worker =
                            NatsTransport.open(
                                    options.withLogin(
                                            new NatsLogin.Password("worker", () -> "right")),
                                    InstantSource.system())) {
                Inbox inbox = worker.inbox(Mailstorm.CODE);
                assertThat(inbox.select(WORKER, lease)).isEqualTo(new Selection.Nothing());
                var _ = sender.send(mail());
                assertThatThrownBy(() -> inbox.select(WORKER, lease))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("hands out none");
            }
        }
    }

    static Envelope mail() {
        return Envelope.draft(
                        Actor.parse("ada"),
                        List.of(Address.parse("queen://code")),
                        Lane.CODE,
                        "something")
                .ts(Instant.now())
                .seal();
    }

    /// A cluster takes a while to find itself.
    private static void awaitOpen(NatsOptions options) {
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .ignoreExceptionsInstanceOf(IOException.class)
                .until(() -> {
                    NatsTransport.open(options, InstantSource.system()).close();
                    return true;
                });
    }

    private static Mailstorm storm(NatsOptions options, int count) {
        return new Mailstorm(
                () -> NatsTransport.open(options, InstantSource.system()),
                count,
                2,
                Duration.ofMinutes(2));
    }

    private static NatsOptions options(String url) {
        return NatsOptions.of(url, "storm")
                .withInboxes(List.of(Mailstorm.CODE))
                .withWaits(Duration.ofSeconds(20), Duration.ofSeconds(1));
    }

    /// The number of the node that decides what is in the stream of mail.
    private static int leader(NatsOptions options) throws Exception {
        try (ReconnectingConnection connection = new ReconnectingConnection(options)) {
            ClusterInfo cluster =
                    connection
                            .ask(() -> connection.management().getStreamInfo("storm-mail"))
                            .getClusterInfo();
            assertThat(cluster.getReplicas()).hasSize(2);
            return Integer.parseInt(cluster.getLeader().substring("node".length()));
        }
    }
}
