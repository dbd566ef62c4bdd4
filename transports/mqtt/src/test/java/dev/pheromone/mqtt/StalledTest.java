package dev.pheromone.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Actor;
import dev.pheromone.Address;
import dev.pheromone.Domain;
import dev.pheromone.Envelope;
import dev.pheromone.Lane;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.SendResult;
import dev.pheromone.testkit.Mosquitto;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/// Answers that stand still in the middle, and lines that are lost in the worst moment.
@Timeout(120)
final class StalledTest {

    private static final Domain CODE = Domain.parse("code");
    private static final Actor WORKER = Actor.parse("worker");
    private static final Lease LEASE = Lease.unattended(Duration.ofMinutes(5));
    private static final long MOMENT_NANOS = Duration.ofMillis(2).toNanos();

    @TempDir Path folder;
    private Mosquitto broker;

    @BeforeEach
    void startBroker() throws IOException {
        Mosquitto.refuseWithout("StalledTest");
        broker =
                Mosquitto.start(
                        folder,
                        Mosquitto.OPEN + "max_queued_messages 1000\nset_tcp_nodelay true\n");
    }

    @AfterEach
    void stopBroker() {
        broker.close();
    }

    private static MqttTransport open(String url, Duration patience) throws IOException {
        return MqttTransport.open(
                MqttOptions.of(url, "stalled").withInboxes(List.of(CODE)).withPatience(patience),
                InstantSource.system());
    }

    private static MqttTransport open(String url) throws IOException {
        return open(url, Duration.ofSeconds(10));
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

    private static SendResult send(MqttTransport transport, Envelope envelope) {
        try {
            return transport.send(envelope).copies().getFirst().result();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /// Holds up the `number`th message with `text` in it until the same is asked for again.
    private static void stall(PacketWire wire, String text, int number) {
        CountDownLatch again = new CountDownLatch(2);
        AtomicInteger seen = new AtomicInteger();
        wire.toBroker =
                (type, packet) -> {
                    if (type == PacketWire.SUBSCRIBE && packet.contains("/record/")) {
                        again.countDown();
                    }
                };
        wire.fromBroker =
                (type, packet) -> {
                    if (type == PacketWire.PUBLISH && packet.contains(text)) {
                        int count = seen.incrementAndGet();
                        if (count == number) {
                            again.await();
                        }
                        if (count >= number) {
                            LockSupport.parkNanos(MOMENT_NANOS);
                        }
                    }
                };
    }

    @Test
    void whatComesInTwoPartsIsNotTakenForHalf() throws Exception {
        int count = 150;
        try (MqttTransport first = open(broker.url())) {
            for (int i = 0; i < count; i++) {
                send(first, mail("number " + i));
            }
            for (int i = 0; i < count; i++) {
                assertThat(first.inbox(CODE).select(WORKER, LEASE))
                        .isInstanceOf(Selection.Taken.class);
            }
        }
        try (PacketWire wire = new PacketWire(broker.port());
                MqttTransport second = open(wire.url())) {
            stall(wire, "/record/", count / 3);
            assertThat(second.inbox(CODE).select(WORKER, LEASE)).isEqualTo(new Selection.Nothing());
        }
    }

    @Test
    void whatWasDoneBeforeIsKnownThoughTheAnswerStandsStill() throws Exception {
        Envelope envelope = mail("once");
        try (MqttTransport first = open(broker.url())) {
            send(first, envelope);
            var taken = (Selection.Taken) first.inbox(CODE).select(WORKER, LEASE);
            first.inbox(CODE).settle(taken.claim().token(), new Outcome.Done(""));
        }
        try (MqttTransport worker = open(broker.url());
                PacketWire wire = new PacketWire(broker.port());
                MqttTransport sender = open(wire.url())) {
            for (int i = 0; i < 3; i++) {
                assertThat(worker.inbox(CODE).select(WORKER, LEASE))
                        .isEqualTo(new Selection.Nothing());
            }
            stall(wire, "/office/", 1);
            assertThat(send(sender, envelope)).isInstanceOf(SendResult.Duplicate.class);
            assertThat(worker.inbox(CODE).select(WORKER, LEASE)).isEqualTo(new Selection.Nothing());
        }
    }

    @Test
    void nobodySaysThatThereIsNothingWhileMailIsOnItsWayToTheKeeper() throws Exception {
        Duration longEnough = Duration.ofSeconds(2);
        try (PacketWire wire = new PacketWire(broker.port());
                MqttTransport worker = open(wire.url());
                MqttTransport sender = open(broker.url())) {
            assertThat(worker.inbox(CODE).select(WORKER, LEASE)).isEqualTo(new Selection.Nothing());
            wire.fromBroker =
                    (type, packet) -> {
                        if (type == PacketWire.PUBLISH && packet.contains("/mail/")) {
                            LockSupport.parkNanos(longEnough.toNanos());
                        }
                    };
            assertThat(send(sender, mail("slow"))).isInstanceOf(SendResult.Delivered.class);
            assertThat(worker.inbox(CODE).select(WORKER, LEASE))
                    .isInstanceOf(Selection.Taken.class);
        }
    }

    /// It would be told the same, whatever has come since.
    @Test
    void whoHearsAnAnswerAndAsksAgainAsksAnew() throws Exception {
        MqttOptions options = MqttOptions.of(broker.url(), "stalled");
        Names names = new Names(options.hive());
        try (Link link = new Link(options, names, "test");
                Keeper keeper = new Keeper(options, InstantSource.system(), CODE, names, link)) {
            Ask ask = new Ask.Take("question", WORKER, LEASE);
            CompletableFuture<Answer> first = keeper.answer(ask);
            AtomicReference<CompletableFuture<Answer>> second = new AtomicReference<>();
            first.thenRun(() -> second.set(keeper.answer(ask))).get(10, TimeUnit.SECONDS);
            assertThat(second.get()).isNotSameAs(first);
        }
    }

    /// Whoever asks would wait for ever, and nobody else would take its place.
    @Test
    void aKeeperThatIsNotToldWhatIsWrittenKeepsTheInboxNoLonger() throws Exception {
        try (PacketWire wire = new PacketWire(broker.port());
                MqttTransport sender = open(broker.url())) {
            MqttOptions options =
                    MqttOptions.of(wire.url(), "stalled").withPatience(Duration.ofSeconds(1));
            Names names = new Names(options.hive());
            try (Link link = new Link(options, names, "test");
                    Keeper keeper =
                            new Keeper(options, InstantSource.system(), CODE, names, link)) {
                send(sender, mail("unconfirmed"));
                wire.lost = names.ask(CODE);
                Ask ask = new Ask.Take("question", WORKER, LEASE);
                assertThat(keeper.answer(ask).handle((_, failure) -> failure != null))
                        .succeedsWithin(Duration.ofSeconds(10))
                        .isEqualTo(true);
                assertThat(keeper.isInOffice()).isFalse();

                wire.lost = "";
                BlockingQueue<Post> answers = link.expect(ask.id());
                link.store(
                        Post.passing(names.ask(CODE), ask.bytes())
                                .asking(ask.id(), link.ownTopic()));
                assertThat(Link.poll(answers, Duration.ofMillis(300))).isNull();
            }
            assertThat(sender.inbox(CODE).select(WORKER, LEASE)).isEqualTo(new Selection.Nothing());
        }
    }

    /// The broker would send all of it again each time that it is asked to.
    @Test
    void whoIsToldTooSlowlyToListenAlongAsksInstead() throws Exception {
        try (MqttTransport other = open(broker.url());
                PacketWire wire = new PacketWire(broker.port());
                MqttTransport sender = open(wire.url())) {
            for (int i = 0; i < 100; i++) {
                send(other, mail("number " + i));
            }
            wire.fromBroker =
                    (type, packet) -> {
                        if (type == PacketWire.PUBLISH && packet.contains("/mail/")) {
                            LockSupport.parkNanos(Duration.ofMillis(30).toNanos());
                        }
                    };
            for (int i = 0; i < 3; i++) {
                assertThat(send(sender, mail("mine " + i)))
                        .isInstanceOf(SendResult.Delivered.class);
            }
        }
    }

    /// The broker knows the session again, but not what we listen to.
    @Test
    void whoLostItsLineBeforeItListenedHearsAgain() throws Exception {
        try (PacketWire wire = new PacketWire(broker.port());
                MqttTransport sender = open(wire.url(), Duration.ofSeconds(5))) {
            assertThat(send(sender, mail("before"))).isInstanceOf(SendResult.Delivered.class);
            AtomicBoolean isCut = new AtomicBoolean();
            wire.toBroker =
                    (type, packet) -> {
                        if (type == PacketWire.SUBSCRIBE
                                && packet.contains("/to/")
                                && isCut.compareAndSet(false, true)) {
                            throw new IOException("cut");
                        }
                    };
            broker.kill();
            broker.restart();
            assertThat(send(sender, mail("after"))).isInstanceOf(SendResult.Delivered.class);
            assertThat(isCut).isTrue();
        }
    }

    @Test
    void manyThreadsWaitNoLongerThanOne() throws Exception {
        Duration patience = Duration.ofSeconds(1);
        try (Wire wire = new Wire(broker.port());
                MqttTransport sender = open(wire.url(), patience)) {
            for (int i = 0; i < 3; i++) {
                send(sender, mail("before " + i));
            }
            wire.freeze();
            assertAllFailSoon(sender);
            // From here on nobody has a line, and none comes to be.
            wire.cut();
            assertAllFailSoon(sender);
            wire.thaw();
        }
    }

    private static void assertAllFailSoon(MqttTransport sender) throws Exception {
        Instant start = Instant.now();
        List<CompletableFuture<SendResult>> sent = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            CompletableFuture<SendResult> result = new CompletableFuture<>();
            Thread.ofVirtual().start(() -> result.complete(send(sender, mail("into the dark"))));
            sent.add(result);
        }
        for (CompletableFuture<SendResult> result : sent) {
            assertThat(result.get(60, TimeUnit.SECONDS)).isInstanceOf(SendResult.Failed.class);
        }
        assertThat(Duration.between(start, Instant.now())).isLessThan(Duration.ofSeconds(10));
    }
}
