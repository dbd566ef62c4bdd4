package dev.pheromone.mqtt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.hivemq.client.mqtt.mqtt5.message.subscribe.Mqtt5RetainHandling;

import dev.pheromone.AwayException;
import dev.pheromone.SendResult;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.Priority;
import dev.pheromone.testkit.FakeClock;
import dev.pheromone.testkit.Mosquitto;
import dev.pheromone.testkit.ReceivingHive;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/// What goes over the wire, packet by packet.
@Timeout(60)
final class CarrierWireTest {

    private static final Domain CODE = Domain.parse("code");
    private static final int CONNECT = 1;
    private static final int PUBACK = 4;
    private static final String SMALL_QUEUE = "max_queued_messages 5\nset_tcp_nodelay true\n";

    @TempDir static Path folder;
    private static Mosquitto broker;

    private final FakeClock clock = new FakeClock(Instant.now().truncatedTo(ChronoUnit.MILLIS));

    @BeforeAll
    static void startBroker() throws IOException {
        Mosquitto.refuseWithout("CarrierWireTest");
        broker = Mosquitto.start(folder, Mosquitto.OPEN);
    }

    @AfterAll
    static void stopBroker() {
        if (broker != null) {
            broker.close();
        }
    }

    /// One packet, in either direction, as far as it is text.
    private record Packet(int type, String text) {}

    private MqttCarrier open(String url, String hive) {
        return MqttCarrier.open(options(url, hive), clock);
    }

    private static MqttOptions options(String url, String hive) {
        return MqttOptions.of(url, hive).withPatience(Duration.ofSeconds(3));
    }

    /// For where nobody answers.
    private MqttCarrier hasty(String url, String hive) {
        return MqttCarrier.open(
                options(url, hive)
                        .withPatience(Duration.ofSeconds(1))
                        .withReceiptWait(Duration.ofMillis(500)),
                clock);
    }

    private Envelope mail() {
        return Envelope.draft(Actor.parse("ada"), List.of(CODE.address()), Lane.CODE, "deploy")
                .ts(clock.instant())
                .priority(Priority.P1)
                .seal();
    }

    private static SendResult send(MqttCarrier carrier, Envelope envelope) throws IOException {
        return carrier.send(envelope).copies().getFirst().result();
    }

    @Test
    void aMessageSaysWhatItIsAndWhereToAnswer() throws Exception {
        Queue<Packet> sent = new ConcurrentLinkedQueue<>();
        try (PacketWire wire = new PacketWire(broker.port());
                ReceivingHive hive = new ReceivingHive(open(broker.url(), "says"), clock, CODE);
                MqttCarrier carrier = open(wire.url(), "says")) {
            wire.toBroker = (type, text) -> sent.add(new Packet(type, text));
            Envelope envelope = mail();
            assertThat(send(carrier, envelope)).isInstanceOf(SendResult.Delivered.class);
            var _ = hive.await(envelope, CODE);
        }
        assertThat(sent)
                .filteredOn(packet -> packet.type() == PacketWire.PUBLISH)
                .singleElement()
                .satisfies(packet ->
                        assertThat(packet.text())
                                .contains(
                                        "rsm/says/inbox/code",
                                        "text/markdown",
                                        "rsm/says/receipt/",
                                        "priority\0\2P1",
                                        "lane\0\4Code"));
        assertThat(sent.peek().type()).isEqualTo(CONNECT);
    }

    @Test
    void mailIsStoredThenAnsweredThenAcknowledged() throws Exception {
        Queue<String> steps = new ConcurrentLinkedQueue<>();
        try (PacketWire wire = new PacketWire(broker.port());
                MqttCarrier carrier = open(broker.url(), "order");
                ReceivingHive hive = new ReceivingHive(open(wire.url(), "order"), clock, CODE)) {
            wire.toBroker =
                    (type, text) -> {
                        if (type == PacketWire.PUBLISH && text.contains("/receipt/")) {
                            steps.add("answered");
                        } else if (type == PUBACK) {
                            steps.add("acknowledged");
                        }
                    };
            hive.before(() -> steps.add("stored"));
            assertThat(send(carrier, mail())).isInstanceOf(SendResult.Delivered.class);
            hive.leave();
            assertThat(steps).startsWith("stored", "answered", "acknowledged").hasSize(3);
        }
    }

    @Test
    void aReceiptThatIsLostIsGivenAgainForTheSameMail() throws Exception {
        try (PacketWire wire = new PacketWire(broker.port());
                ReceivingHive hive = new ReceivingHive(open(broker.url(), "lost"), clock, CODE);
                MqttCarrier carrier = open(wire.url(), "lost")) {
            Envelope envelope = mail();
            wire.lost = "delivered";
            assertThat(send(carrier, envelope))
                    .isInstanceOfSatisfying(
                            SendResult.Unanswered.class,
                            unanswered ->
                                    assertThat(unanswered.at()).isEqualTo(SendResult.Place.BROKER));
            wire.lost = "";
            assertThat(send(carrier, envelope)).isInstanceOf(SendResult.Duplicate.class);
            assertThat(hive.stored(CODE)).containsExactly(envelope);
        }
    }

    @Test
    void aConnectionThatIsCutWhileMailIsSentIsNotTakenForDelivered() throws Exception {
        try (PacketWire wire = new PacketWire(broker.port());
                ReceivingHive hive = new ReceivingHive(open(broker.url(), "cut"), clock, CODE);
                MqttCarrier carrier = open(wire.url(), "cut")) {
            wire.toBroker =
                    (type, _) -> {
                        if (type == PacketWire.PUBLISH) {
                            throw new IOException("cut");
                        }
                    };
            Envelope envelope = mail();
            assertThat(send(carrier, envelope))
                    .isInstanceOfSatisfying(
                            SendResult.Unanswered.class,
                            unanswered ->
                                    assertThat(unanswered.at()).isEqualTo(SendResult.Place.HERE));
            wire.toBroker = (_, _) -> {};
            assertThat(send(carrier, envelope)).isInstanceOf(SendResult.Delivered.class);
            var _ = hive.await(envelope, CODE);
        }
    }

    @Test
    void aReceiverWhoseConnectionIsCutComesBackAndKeepsItsPlace() throws Exception {
        try (Wire wire = new Wire(broker.port());
                MqttCarrier carrier = hasty(broker.url(), "back");
                ReceivingHive hive = new ReceivingHive(open(wire.url(), "back"), clock, CODE)) {
            for (int i = 0; i < 3; i++) {
                wire.cut();
                Envelope envelope = mail();
                SendResult result = send(carrier, envelope);
                assertThat(result)
                        .isInstanceOfAny(SendResult.Delivered.class, SendResult.Unanswered.class);
                var _ = hive.await(envelope, CODE);
                assertThat(carrier.domains()).containsExactly(CODE);
            }
        }
    }

    @Test
    void aReceiverFromBeforeWhomAKilledBrokerRemembersReplacesNobody() throws Exception {
        MqttOptions options = MqttOptions.of(broker.url(), "before");
        String topic = options.topics.presence(CODE);
        Presence before =
                new Presence(Actor.parse("ada"), clock.instant().minusSeconds(9), Topics.nonce());
        try (Wire wire = new Wire(broker.port());
                MqttCarrier carrier = hasty(broker.url(), "before");
                ReceivingHive hive = new ReceivingHive(open(wire.url(), "before"), clock, CODE);
                Connection other = Connection.passing(options)) {
            var _ = other.await(other.publish(before.at(topic)));
            wire.cut();
            Envelope envelope = mail();
            var _ = send(carrier, envelope);
            var _ = hive.await(envelope, CODE);
        }
    }

    @Test
    void whoTakesOverCameLaterWhateverItsClockSaysAndItsAnnouncementDoesNotStay() throws Exception {
        FakeClock slow = new FakeClock(clock.instant().minusSeconds(3600));
        Queue<Packet> sent = new ConcurrentLinkedQueue<>();
        try (PacketWire wire = new PacketWire(broker.port());
                ReceivingHive _ = new ReceivingHive(open(broker.url(), "later"), clock, CODE)) {
            wire.toBroker = (type, text) -> sent.add(new Packet(type, text));
            MqttOptions taking =
                    MqttOptions.of(wire.url(), "later").withJoining(MqttOptions.Joining.TAKES_OVER);
            try (ReceivingHive _ = new ReceivingHive(MqttCarrier.open(taking, slow), slow, CODE);
                    Retained look = new Retained(taking, List.of(taking.topics.presence(CODE)))) {
                assertThat(Presence.among(look.any(), taking.topics).get(CODE).since())
                        .isEqualTo(clock.instant().plusMillis(1));
            }
        }
        String expiryOfAMinute = "\2\0\0\0<";
        assertThat(sent)
                .filteredOn(packet ->
                        packet.type() == PacketWire.PUBLISH
                                && packet.text().contains("presence/code"))
                .extracting(packet -> packet.text().contains(expiryOfAMinute))
                .startsWith(true, false);
    }

    @Test
    void whoIsCutOffWhileLookingDoesNotSayThatNobodyIsThere() throws Exception {
        try (PacketWire wire = new PacketWire(broker.port());
                ReceivingHive _ = new ReceivingHive(open(broker.url(), "look"), clock, CODE);
                MqttCarrier carrier = open(wire.url(), "look")) {
            wire.fromBroker =
                    (type, _) -> {
                        if (type == PacketWire.PUBLISH) {
                            throw new IOException("cut");
                        }
                    };
            assertThatThrownBy(carrier::domains)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("the connection is lost");
            assertThatThrownBy(() -> new ReceivingHive(open(wire.url(), "look"), clock, CODE))
                    .isInstanceOf(AwayException.class);
        }
    }

    @Test
    void aBrokerThatIsSlowIsWaitedForByWhoLooksWhoReceives() throws Exception {
        try (ReceivingHive _ = new ReceivingHive(open(broker.url(), "slow"), clock, CODE);
                MqttCarrier carrier = MqttCarrier.open(options(broker.url(), "slow"), clock)) {
            for (int i = 0; i < 20; i++) {
                assertThat(carrier.domains()).containsExactly(CODE);
            }
        }
    }

    @Test
    void aReceiverWhoseConnectionHeldComesBackSoonThoughNoMailCame() throws Exception {
        Queue<String> troubles = new ConcurrentLinkedQueue<>();
        AtomicInteger connections = new AtomicInteger();
        try (PacketWire wire = new PacketWire(broker.port())) {
            wire.toBroker =
                    (type, text) -> {
                        if (type == PacketWire.PUBLISH
                                && text.contains("presence/code")
                                && connections.incrementAndGet() <= 4) {
                            throw new IOException("cut");
                        }
                    };
            MqttOptions told = options(wire.url(), "held").withTroubles(troubles::add);
            try (ReceivingHive _ = new ReceivingHive(MqttCarrier.open(told, clock), clock, CODE)) {
                await().atMost(Duration.ofSeconds(30)).until(() -> connections.get() == 5);
                assertThat(troubles)
                        .extracting(trouble -> trouble.replaceAll(".*lost, (.* ms):.*", "$1"))
                        .containsExactly(
                                "next in 100 ms",
                                "next in 200 ms",
                                "next in 400 ms",
                                "next in 800 ms");
                troubles.clear();
                await().atMost(Duration.ofSeconds(30))
                        .pollInterval(Duration.ofSeconds(1))
                        .until(() -> {
                            clock.advance(Duration.ofMinutes(1));
                            wire.cut();
                            return troubles.stream().anyMatch(one -> one.contains("in 100 ms"));
                        });
            }
        }
    }

    @Test
    void whatABrokerDropsFromAFullQueueIsNotDeliveredAndCanBeSentAgain(@TempDir Path small)
            throws Exception {
        try (Mosquitto forgetful = Mosquitto.start(small, Mosquitto.OPEN + SMALL_QUEUE);
                MqttCarrier carrier =
                        MqttCarrier.open(
                                MqttOptions.of(forgetful.url(), "full")
                                        .withReceiptWait(Duration.ofMillis(20)),
                                clock)) {
            new ReceivingHive(open(forgetful.url(), "full"), clock, CODE).close();
            List<Envelope> sent = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                sent.add(mail());
                assertThat(send(carrier, sent.getLast())).isInstanceOf(SendResult.Unanswered.class);
            }
            try (ReceivingHive hive =
                            new ReceivingHive(open(forgetful.url(), "full"), clock, CODE);
                    MqttCarrier patient = open(forgetful.url(), "full")) {
                for (Envelope envelope : sent) {
                    assertThat(send(patient, envelope))
                            .isInstanceOfAny(
                                    SendResult.Delivered.class, SendResult.Duplicate.class);
                }
                assertThat(hive.stored(CODE)).containsExactlyInAnyOrderElementsOf(sent);
            }
        }
    }

    @Test
    void aBrokerThatKeepsSilentIsWaitedForOnlySoLong() throws Exception {
        try (Wire wire = new Wire(broker.port());
                MqttCarrier carrier = hasty(wire.url(), "silent")) {
            wire.freeze();
            Instant start = Instant.now();
            assertThatThrownBy(() -> carrier.send(mail())).isInstanceOf(AwayException.class);
            assertThat(Duration.between(start, Instant.now())).isLessThan(Duration.ofSeconds(20));
        }
    }

    @Test
    void mailIntoASilentConnectionIsHereAlone() throws Exception {
        try (Wire wire = new Wire(broker.port());
                ReceivingHive _ = new ReceivingHive(open(broker.url(), "dark"), clock, CODE);
                MqttCarrier carrier = hasty(wire.url(), "dark")) {
            assertThat(send(carrier, mail())).isInstanceOf(SendResult.Delivered.class);
            wire.freeze();
            assertThat(send(carrier, mail()))
                    .isInstanceOfSatisfying(
                            SendResult.Unanswered.class,
                            unanswered ->
                                    assertThat(unanswered.at()).isEqualTo(SendResult.Place.HERE));
        }
    }

    @Test
    void aBrokerThatHangsUpOnceWhileItStartsIsNotTakenForAnOlderOne() throws Exception {
        AtomicBoolean isUp = new AtomicBoolean();
        try (PacketWire wire = new PacketWire(broker.port());
                ReceivingHive _ = new ReceivingHive(open(broker.url(), "starts"), clock, CODE);
                MqttCarrier carrier = open(wire.url(), "starts")) {
            wire.toBroker =
                    (_, _) -> {
                        if (!isUp.getAndSet(true)) {
                            throw new IOException("killed");
                        }
                    };
            assertThat(send(carrier, mail())).isInstanceOf(SendResult.Delivered.class);
        }
    }

    @Test
    void aConnectionRemembersNothingOfWhatWasAnswered() throws Exception {
        MqttOptions options = options(broker.url(), "remembers");
        try (Connection connection = Connection.passing(options)) {
            for (int i = 0; i < 50; i++) {
                var _ = connection.await(connection.publish(Presence.cleared("rsm/remembers")));
            }
            assertThat(connection.end().getNumberOfDependents()).isLessThan(5);
        }
    }

    @Test
    void aConnectionThatHasEndedTakesNothing() throws Exception {
        MqttOptions options = options(broker.url(), "ended");
        Connection ended = Connection.passing(options);
        ended.close();
        assertThatThrownBy(() -> ended.await(ended.publish(Presence.cleared("rsm/ended"))))
                .isInstanceOf(AwayException.class);
        assertThatThrownBy(() -> ended.subscribe("rsm/ended", Mqtt5RetainHandling.DO_NOT_SEND))
                .isInstanceOf(AwayException.class);
    }

    @Test
    void aBrokerThatIsGoneIsAway(@TempDir Path gone) throws Exception {
        String url;
        try (Mosquitto other = Mosquitto.start(gone, Mosquitto.OPEN)) {
            url = other.url();
        }
        try (MqttCarrier carrier = open(url, "gone")) {
            assertThatThrownBy(() -> carrier.send(mail())).isInstanceOf(AwayException.class);
        }
    }
}
