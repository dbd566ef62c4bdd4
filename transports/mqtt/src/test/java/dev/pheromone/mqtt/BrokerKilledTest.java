package dev.pheromone.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Actor;
import dev.pheromone.Address;
import dev.pheromone.Claim;
import dev.pheromone.Envelope;
import dev.pheromone.Inbox;
import dev.pheromone.Lane;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Priority;
import dev.pheromone.Selection;
import dev.pheromone.SendResult;
import dev.pheromone.Settlement;
import dev.pheromone.testkit.Mailstorm;
import dev.pheromone.testkit.Mosquitto;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/// A broker that is killed while mail is sent and worked on: what was acknowledged is not lost, and
/// has one effect.
final class BrokerKilledTest {

    private static final boolean LONG = Boolean.getBoolean("rsm.long");

    /// What is to outlive a process need not be on a disk, and the broker would write its whole
    /// file there tens of thousands of times.
    static final class InMemory implements TempDirFactory {

        private static final Path MEMORY = Path.of("/dev/shm");

        @Override
        public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext context)
                throws IOException {
            return Files.isWritable(MEMORY)
                    ? Files.createTempDirectory(MEMORY, "mosquitto")
                    : Files.createTempDirectory("mosquitto");
        }
    }

    @TempDir(factory = InMemory.class)
    Path folder;

    /// The broker writes its file after it has confirmed, and the more it keeps the longer that
    /// takes: who is killed at once after each confirmation would lose what was only confirmed.
    @Test
    void whatIsSaidToBeThereIsThereThoughTheBrokerIsKilledAtThatVeryMoment() throws Exception {
        Mosquitto.refuseWithout("BrokerKilledTest");
        try (Mosquitto broker = Mosquitto.start(folder, Mosquitto.OPEN + Mosquitto.DURABLE);
                MqttTransport transport =
                        MqttTransport.open(
                                MqttOptions.of(broker.url(), "moment")
                                        .withInboxes(List.of(Mailstorm.CODE)),
                                InstantSource.system())) {
            for (int i = 0; i < 40; i++) {
                assertDelivered(transport, mail("ballast " + i, Priority.P3));
            }
            Inbox inbox = transport.inbox(Mailstorm.CODE);
            for (int i = 0; i < 8; i++) {
                Envelope envelope = mail("number " + i, Priority.P0);
                assertDelivered(transport, envelope);
                restart(broker);
                Claim claim = take(inbox);
                restart(broker);
                assertThat(claim.envelope()).isEqualTo(envelope);
                assertThat(inbox.settle(claim.token(), new Outcome.Done("")))
                        .isInstanceOf(Settlement.Settled.class);
                restart(broker);
                assertThat(transport.send(envelope).copies().getFirst().result())
                        .isInstanceOf(SendResult.Duplicate.class);
                assertThat(inbox.waiting()).hasSize(40);
            }
        }
    }

    /// While the broker writes its file, another sends and we send the same: it takes both in its
    /// next round, and tells us of the other's before it has written it.
    @Test
    void whatIsSaidToBeThereAlreadyIsThereThoughTheBrokerIsKilled(@TempDir Path slow)
            throws Exception {
        Mosquitto.refuseWithout("BrokerKilledTest");
        Names names = new Names("already");
        try (Mosquitto broker = Mosquitto.start(slow, Mosquitto.OPEN + Mosquitto.DURABLE)) {
            MqttOptions options =
                    MqttOptions.of(broker.url(), "already")
                            .withInboxes(List.of(Mailstorm.CODE))
                            // The ballast is written again and again, on whatever disk there is.
                            .withPatience(Duration.ofMinutes(2));
            try (Link link = new Link(options, names, "")) {
                for (int i = 0; i < 300; i++) {
                    link.tell(Post.kept("ballast/" + i, new byte[64 * 1024]));
                }
                link.store(Post.kept("ballast/last", new byte[1]));
            }
            for (int i = 0; i < 4; i++) {
                Envelope envelope = mail("number " + i, Priority.P0);
                SendResult result;
                try (MqttTransport sender = MqttTransport.open(options, InstantSource.system());
                        Line other = Line.open(options, "other", Line.Session.NEW, null, _ -> {})) {
                    for (int j = 0; j < 3; j++) {
                        assertDelivered(sender, mail("before", Priority.P3));
                    }
                    var _ = other.publish(Post.kept("busy", new byte[] {1}));
                    LockSupport.parkNanos(Duration.ofMillis(8).toNanos());
                    var _ =
                            other.publish(
                                    Mail.post(names, Mailstorm.CODE, envelope, Instant.now(), ""));
                    LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
                    result = sender.send(envelope).copies().getFirst().result();
                    broker.kill();
                }
                broker.restart();
                assertThat(result)
                        .isInstanceOfAny(SendResult.Delivered.class, SendResult.Duplicate.class);
                try (MqttTransport later = MqttTransport.open(options, InstantSource.system())) {
                    assertThat(later.find(envelope.id())).isPresent();
                }
            }
        }
    }

    private static void restart(Mosquitto broker) throws IOException {
        broker.kill();
        broker.restart();
    }

    private static Envelope mail(String topic, Priority priority) {
        return Envelope.draft(
                        Actor.parse("ada"),
                        List.of(Address.parse("queen://code")),
                        Lane.CODE,
                        topic)
                .ts(Instant.now())
                .priority(priority)
                .body("x".repeat(64 * 1024))
                .seal();
    }

    private static void assertDelivered(MqttTransport transport, Envelope envelope)
            throws Exception {
        assertThat(transport.send(envelope).copies().getFirst().result())
                .isInstanceOf(SendResult.Delivered.class);
    }

    private static Claim take(Inbox inbox) throws IOException {
        Selection selection =
                inbox.select(Actor.parse("worker"), Lease.unattended(Duration.ofMinutes(5)));
        assertThat(selection).isInstanceOf(Selection.Taken.class);
        return ((Selection.Taken) selection).claim();
    }

    @Test
    void nothingAcknowledgedIsLostWhenTheBrokerIsKilledAndStartedAgain() throws Exception {
        Mosquitto.refuseWithout("BrokerKilledTest");
        int count = LONG ? 10_000 : 200;
        Duration patience = LONG ? Duration.ofMinutes(30) : Duration.ofMinutes(2);
        try (Mosquitto broker = Mosquitto.start(folder, Mosquitto.OPEN + Mosquitto.DURABLE)) {
            MqttOptions options =
                    MqttOptions.of(broker.url(), "storm")
                            .withInboxes(List.of(Mailstorm.CODE))
                            .withPatience(Duration.ofSeconds(20));
            MqttTransport.open(options, InstantSource.system()).close();
            Mailstorm storm =
                    new Mailstorm(
                            () -> MqttTransport.open(options, InstantSource.system()),
                            count,
                            2,
                            patience);
            storm.start();
            int kills = LONG ? 10 : 3;
            for (int part = 1; part <= kills; part++) {
                int enough = count * part / (kills + 1);
                storm.awaitUntil(() -> storm.acknowledged() >= enough);
                broker.kill();
                broker.restart();
            }
            storm.finish();
        }
    }
}
