package dev.pheromone.mqtt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.Actor;
import dev.pheromone.Address;
import dev.pheromone.Domain;
import dev.pheromone.Envelope;
import dev.pheromone.EnvelopeId;
import dev.pheromone.Inbox;
import dev.pheromone.Lane;
import dev.pheromone.Lease;
import dev.pheromone.Reach;
import dev.pheromone.Selection;
import dev.pheromone.SendResult;
import dev.pheromone.testkit.Mosquitto;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/// Connections that are lost, stand still, or never come to be.
final class ConnectionTest {

    private static final Domain CODE = Domain.parse("code");
    private static final Actor WORKER = Actor.parse("worker");
    private static final Lease LEASE = Lease.unattended(Duration.ofMinutes(5));

    @TempDir static Path folder;
    private static Mosquitto broker;

    @BeforeAll
    static void startBroker() throws IOException {
        Mosquitto.refuseWithout("ConnectionTest");
        // Nothing here outlives the broker, so it need not write anything.
        broker = Mosquitto.start(folder, Mosquitto.OPEN + "max_queued_messages 1000\n");
    }

    @AfterAll
    static void stopBroker() {
        if (broker != null) {
            broker.close();
        }
    }

    private static MqttOptions options(String url, String hive) {
        return MqttOptions.of(url, hive).withInboxes(List.of(CODE));
    }

    private static MqttTransport open(MqttOptions options) throws IOException {
        return MqttTransport.open(options, InstantSource.system());
    }

    private static Envelope mail(String topic) {
        return Envelope.draft(
                        Actor.parse("ada"),
                        List.of(Address.parse("queen://code")),
                        Lane.CODE,
                        topic)
                .ts(Instant.now())
                .seal();
    }

    private static void send(MqttTransport transport, Envelope envelope) throws Exception {
        assertThat(transport.send(envelope).copies().getFirst().result())
                .isInstanceOf(SendResult.Delivered.class);
    }

    private static EnvelopeId take(Inbox inbox) throws IOException {
        Selection selection = inbox.select(WORKER, LEASE);
        assertThat(selection).isInstanceOf(Selection.Taken.class);
        return ((Selection.Taken) selection).claim().envelope().id();
    }

    @Test
    void aBrokerThatIsNotThereIsSaidSoAtOnce() throws Exception {
        String url;
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            url = "mqtt://127.0.0.1:" + socket.getLocalPort();
        }
        Instant start = Instant.now();
        assertThatThrownBy(() -> open(options(url, "nobody")))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(url + ": Connection refused");
        assertThat(Duration.between(start, Instant.now())).isLessThan(Duration.ofSeconds(5));
    }

    @Test
    void aBrokerThatKeepsSilentIsWaitedForOnlySoLong() throws Exception {
        try (Wire wire = new Wire(broker.port())) {
            wire.freeze();
            MqttOptions options = options(wire.url(), "silent").withPatience(Duration.ofSeconds(1));
            Instant start = Instant.now();
            assertThatThrownBy(() -> open(options)).isInstanceOf(IOException.class);
            assertThat(Duration.between(start, Instant.now())).isLessThan(Duration.ofSeconds(10));
        }
    }

    @Test
    void whatCanNotBeConfirmedHasFailedAfterAWhile() throws Exception {
        try (Wire wire = new Wire(broker.port());
                MqttTransport transport =
                        open(
                                options(wire.url(), "unconfirmed")
                                        .withPatience(Duration.ofSeconds(1)))) {
            wire.freeze();
            assertThat(transport.send(mail("into the dark")).copies().getFirst().result())
                    .isInstanceOf(SendResult.Failed.class);
        }
    }

    @Test
    void aCutConnectionIsMadeAgain() throws Exception {
        try (Wire wire = new Wire(broker.port());
                MqttTransport transport = open(options(wire.url(), "cut"))) {
            Inbox inbox = transport.inbox(CODE);
            Set<EnvelopeId> sent = ConcurrentHashMap.newKeySet();
            Set<EnvelopeId> taken = ConcurrentHashMap.newKeySet();
            for (int i = 0; i < 4; i++) {
                Envelope envelope = mail("number " + i);
                sent.add(envelope.id());
                send(transport, envelope);
                wire.cut();
                taken.add(take(inbox));
                wire.cut();
            }
            assertThat(taken).isEqualTo(sent);
        }
    }

    @Test
    void theBrokerRemembersASessionForAWhile() throws Exception {
        MqttOptions options = options(broker.url(), "session");
        List<Post> heard = new ArrayList<>();
        String id = "somebody";
        Line first = Line.open(options, id, Line.Session.RESUMED, null, heard::add);
        assertThat(first.isResumed()).isFalse();
        first.leave();
        Line second = Line.open(options, id, Line.Session.RESUMED, null, heard::add);
        assertThat(second.isResumed()).isTrue();
        second.close();
        try (Line third = Line.open(options, id, Line.Session.RESUMED, null, heard::add)) {
            assertThat(third.isResumed()).isFalse();
        }
    }

    @Test
    void whoVanishesIsNotPresentAnyMore() throws Exception {
        MqttOptions options = options(broker.url(), "presence");
        try (Wire wire = new Wire(broker.port());
                MqttTransport here = open(options.withName("desk"))) {
            MqttTransport there = open(options(wire.url(), "presence").withName("laptop"));
            assertThat(here.present()).anyMatch(name -> name.startsWith("laptop-"));
            wire.cut();
            Awaitility.await()
                    .atMost(Duration.ofSeconds(20))
                    .until(() ->
                            here.present().stream().noneMatch(name -> name.startsWith("laptop-")));
            assertThat(there.present()).anyMatch(name -> name.startsWith("laptop-"));
            there.close();
            assertThat(here.present()).hasSize(1).allMatch(name -> name.startsWith("desk-"));
        }
    }

    @Test
    void aKeeperThatFallsSilentIsReplacedAndDecidesNothingMore() throws Exception {
        MqttOptions options = options(broker.url(), "frozen");
        try (Wire wire = new Wire(broker.port());
                MqttTransport frozen = open(options(wire.url(), "frozen"));
                MqttTransport other = open(options)) {
            for (int i = 0; i < 3; i++) {
                send(other, mail("number " + i));
            }
            List<EnvelopeId> taken = new ArrayList<>();
            taken.add(take(frozen.inbox(CODE)));
            wire.freeze();
            CompletableFuture<EnvelopeId> late =
                    CompletableFuture.supplyAsync(() -> {
                        try {
                            return take(frozen.inbox(CODE));
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        }
                    });
            taken.add(take(other.inbox(CODE)));
            wire.thaw();
            taken.add(late.get(30, TimeUnit.SECONDS));
            assertThat(taken).doesNotHaveDuplicates();
        }
    }

    @Test
    void aBrokerThatDropsMessagesIsNoticed() throws Exception {
        try (MqttTransport transport = open(options(broker.url(), "check"))) {
            assertThat(transport.check())
                    .singleElement()
                    .asString()
                    .contains("of 1100 messages")
                    .contains("max_queued_messages");
        }
    }

    @Test
    void reachIsTeamOnThisMachineAndPublicElsewhere() {
        assertThat(BrokerUrl.parse("mqtt://127.0.0.1").reach()).isEqualTo(Reach.TEAM);
        assertThat(BrokerUrl.parse("mqtts://localhost:1").reach()).isEqualTo(Reach.TEAM);
        assertThat(BrokerUrl.parse("mqtt://[::1]:1").reach()).isEqualTo(Reach.TEAM);
        assertThat(BrokerUrl.parse("mqtts://hive.example").reach()).isEqualTo(Reach.PUBLIC);
        assertThat(BrokerUrl.parse("mqtt://127.0.0.1.example").reach()).isEqualTo(Reach.PUBLIC);
        assertThat(BrokerUrl.parse("mqtts://hive.example").toString())
                .isEqualTo("mqtts://hive.example:8883");
        assertThatThrownBy(() -> BrokerUrl.parse("http://hive.example"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> BrokerUrl.parse("mqtt://user:secret@hive.example"))
                .isInstanceOf(IllegalArgumentException.class)
                .message()
                .doesNotContain("secret");
    }
}
