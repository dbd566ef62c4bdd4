package dev.pheromone.mqtt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.pheromone.Carrier;
import dev.pheromone.HiveConfig;
import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.OtherReceiverException;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.SendResult;
import dev.pheromone.Settlement;
import dev.pheromone.State;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.testkit.CarrierContract;
import dev.pheromone.testkit.FakeClock;
import dev.pheromone.testkit.KillableServer;
import dev.pheromone.testkit.MemoryTransport;
import dev.pheromone.testkit.ReceivingHive;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// What a carrier promises, on one broker after the other. Every test has a hive of its own on it.
@Timeout(120)
@ParameterizedClass
@MethodSource("brokers")
final class MqttCarrierTest implements CarrierContract {

    private static final AtomicInteger HIVES = new AtomicInteger();

    @TempDir static Path folder;
    private static KillableServer broker;

    private final Broker kind;
    private FakeClock clock;
    private MqttOptions options;
    private MqttCarrier carrier;
    private final Queue<String> troubles = new ConcurrentLinkedQueue<>();

    MqttCarrierTest(Broker kind) {
        this.kind = kind;
    }

    static List<Broker> brokers() {
        return Broker.inThisForm();
    }

    @BeforeParameterizedClassInvocation
    static void startBroker(Broker kind) throws IOException {
        broker = kind.start(folder.resolve(kind.name()));
    }

    @AfterParameterizedClassInvocation
    static void stopBroker() {
        if (broker != null) {
            broker.close();
        }
    }

    @BeforeEach
    void open() {
        clock = new FakeClock(Instant.now().truncatedTo(ChronoUnit.MILLIS));
        troubles.clear();
        options =
                MqttOptions.of(Broker.url(broker), "hive" + HIVES.incrementAndGet())
                        .withConfig(HiveConfig.defaults(), TRUST)
                        .withPublicCheck(CHECK)
                        .withTroubles(troubles::add);
        carrier = MqttCarrier.open(options, clock);
    }

    @AfterEach
    void close() {
        carrier.close();
    }

    @Override
    public Carrier carrier() {
        return carrier;
    }

    @Override
    public Carrier another() {
        return MqttCarrier.open(options, clock);
    }

    @Override
    public FakeClock clock() {
        return clock;
    }

    @Test
    void nothingIsPromisedThatOnlyStorageCanKeep() {
        assertThat(carrier.capabilities()).isEmpty();
    }

    @Test
    void whoReceivesIsSeenAndASecondJoinerYields() throws Exception {
        assertThat(carrier.domains()).isEmpty();
        try (ReceivingHive hive = join(CODE)) {
            assertThat(carrier.domains()).containsExactly(CODE);
            assertThatThrownBy(() -> join(CODE, DOCS))
                    .isInstanceOf(OtherReceiverException.class)
                    .hasMessageContaining("receiver.one (since ", ") receives for inbox code");
            Envelope envelope = mail("still here").seal();
            assertThat(send(envelope)).isInstanceOf(SendResult.Delivered.class);
            var _ = hive.await(envelope, CODE);
        }
        assertThat(carrier.domains()).isEmpty();
    }

    /// More than any broker sends at a time.
    @Test
    void whoeverReceivesIsSeenHoweverManyThereAre() throws Exception {
        Set<Domain> inboxes = new TreeSet<>();
        try (Connection connection = Connection.passing(options)) {
            for (int i = 0; i < 60; i++) {
                Domain inbox = Domain.parse("box" + i);
                inboxes.add(inbox);
                Presence presence =
                        new Presence(ReceivingHive.SELF, clock.instant(), Topics.nonce());
                var _ =
                        connection.await(
                                connection.publish(presence.at(options.topics.presence(inbox))));
            }
        }
        for (int i = 0; i < 5; i++) {
            assertThat(carrier.domains()).containsExactlyElementsOf(inboxes);
        }
    }

    @Test
    void whoIsTakenOverEndsForGood() throws Exception {
        MqttOptions taking = options.withJoining(MqttOptions.Joining.TAKES_OVER);
        try (ReceivingHive first = join(CODE)) {
            try (ReceivingHive second =
                    new ReceivingHive(MqttCarrier.open(taking, clock), clock, CODE)) {
                assertThat(first.awaitEnding()).isInstanceOf(Carrier.Ending.TakenOver.class);
                Envelope envelope = mail("for the second").seal();
                assertThat(send(envelope)).isInstanceOf(SendResult.Delivered.class);
                var _ = second.await(envelope, CODE);
                assertThat(first.stored(CODE)).isEmpty();
                assertThat(carrier.domains()).containsExactly(CODE);
            }
        }
    }

    @Test
    void mailOfWhichNobodyKnowsIsAnsweredSoonWhereTheBrokerSaysSo() throws Exception {
        Instant before = Instant.now();
        SendResult result = send(mail("nobody").seal());
        assertThat(result).isInstanceOf(SendResult.Unanswered.class);
        if (kind != Broker.ARTEMIS) {
            assertThat(((SendResult.Unanswered) result).reason()).contains("nobody receives");
            assertThat(((SendResult.Unanswered) result).at()).isEqualTo(SendResult.Place.HERE);
            assertThat(Duration.between(before, Instant.now()))
                    .isLessThan(MqttOptions.RECEIPT_WAIT);
        }
    }

    @Test
    void aSessionThatIsOverKeepsNothingAndItsMailIsSentAgain() throws Exception {
        MqttOptions brief =
                options.withSessionExpiry(Duration.ofSeconds(1))
                        .withReceiptWait(Duration.ofMillis(100));
        new ReceivingHive(MqttCarrier.open(brief, clock), clock, CODE).close();
        Envelope envelope = mail("too late").seal();
        // Others forget a session when they come to it.
        if (kind == Broker.MOSQUITTO) {
            try (MqttCarrier sender = MqttCarrier.open(brief, clock)) {
                await().atMost(Duration.ofSeconds(60))
                        .until(() ->
                                sender.send(envelope).copies().getFirst().result()
                                                instanceof SendResult.Unanswered(var at, var _)
                                        && at == SendResult.Place.HERE);
            }
        }
        try (ReceivingHive hive = join(CODE)) {
            assertThat(send(envelope))
                    .isInstanceOfAny(SendResult.Delivered.class, SendResult.Duplicate.class);
            assertThat(hive.stored(CODE)).containsExactly(envelope);
        }
    }

    @Test
    void aBacklogArrivesThoughItCouldNotBeStoredAtFirst() throws Exception {
        join(CODE).close();
        List<Envelope> sent = new ArrayList<>();
        try (MqttCarrier sender =
                MqttCarrier.open(options.withReceiptWait(Duration.ofMillis(1)), clock)) {
            for (int i = 0; i < 80; i++) {
                sent.add(mail("number " + i).seal());
                var _ = sender.send(sent.getLast());
            }
        }
        AtomicInteger failures = new AtomicInteger();
        MemoryTransport stored = ReceivingHive.memory(clock, CODE);
        try (MqttCarrier receiver = MqttCarrier.open(options, clock);
                Carrier.Reception _ =
                        receiver.recv(
                                ReceivingHive.SELF,
                                List.of(CODE),
                                (envelope, inbox) -> {
                                    if (failures.incrementAndGet() <= 100) {
                                        throw new IOException("the disk is full");
                                    }
                                    return stored.put(envelope, inbox);
                                })) {
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> stored.stored(CODE).size() == sent.size());
            assertThat(stored.stored(CODE)).containsExactlyInAnyOrderElementsOf(sent);
        }
    }

    private static void finish(MemoryTransport hive) throws Exception {
        Inbox inbox = hive.inbox(CODE);
        Selection selection =
                inbox.select(ReceivingHive.SELF, Lease.unattended(Duration.ofMinutes(1)));
        String token = ((Selection.Taken) selection).claim().token();
        assertThat(inbox.settle(token, new Outcome.Done("")))
                .isInstanceOf(Settlement.Settled.class);
    }

    @Test
    void aSenderWhoAsksHearsHowItsCopyEnds() throws Exception {
        Envelope envelope = mail("to be done").seal();
        MemoryTransport kept = ReceivingHive.memory(clock, CODE);
        try (ReceivingHive hive = new ReceivingHive(another(), kept, CODE);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            assertThat(send(envelope)).isInstanceOf(SendResult.Delivered.class);
            Future<Optional<State>> end =
                    threads.submit(() ->
                            carrier.awaitEnd(envelope, CODE, Duration.ofSeconds(60), () -> {}));
            hive.awaitOffers(2);
            assertThat(end.isDone()).isFalse();
            finish(kept);
            assertThat(end.get(60, TimeUnit.SECONDS)).contains(State.DONE);
            assertThat(carrier.awaitEnd(envelope, CODE, Duration.ofSeconds(20), () -> {}))
                    .contains(State.DONE);
            assertThat(hive.stored(CODE)).containsExactly(envelope);
        }
    }

    @Test
    void aSenderWhoAsksAndComesBackHearsItFromTheNextReceiver() throws Exception {
        Envelope envelope = mail("done meanwhile").seal();
        MemoryTransport kept = ReceivingHive.memory(clock, CODE);
        try (ReceivingHive _ = new ReceivingHive(another(), kept, CODE)) {
            assertThat(carrier.awaitEnd(envelope, CODE, Duration.ofMillis(500), () -> {}))
                    .isEmpty();
        }
        finish(kept);
        try (ReceivingHive _ = new ReceivingHive(another(), kept, CODE)) {
            assertThat(carrier.awaitEnd(envelope, CODE, Duration.ofSeconds(20), () -> {}))
                    .contains(State.DONE);
        }
    }

    @Test
    void whoMayNotSendAsksNobody() throws Exception {
        try (ReceivingHive hive = join(CODE)) {
            assertThatThrownBy(() ->
                            carrier.awaitEnd(
                                    mail("forbidden").seal(),
                                    CODE,
                                    Duration.ofSeconds(20),
                                    () -> {
                                        throw new IOException("locked");
                                    }))
                    .hasMessage("locked");
            Envelope next = mail("allowed").seal();
            assertThat(send(next)).isInstanceOf(SendResult.Delivered.class);
            assertThat(hive.stored(CODE)).containsExactly(next);
        }
    }

    @Test
    void eventsReachThoseWhoFollowAndStayNowhere() throws Exception {
        Queue<String> lines = new ConcurrentLinkedQueue<>();
        carrier.publish("{\"type\":\"before\"}");
        try (Closeable _ = carrier.follow(lines::add)) {
            carrier.publish("{\"type\":\"grüße\"}");
            await().atMost(Duration.ofSeconds(20)).until(() -> !lines.isEmpty());
        }
        assertThat(lines).containsExactly("{\"type\":\"grüße\"}");
    }

    @Test
    void theBrokerGrantsWhatAHiveNeeds() throws Exception {
        assertThat(carrier.troubles()).isEmpty();
        assertThat(carrier.grants().sessionExpiry()).isPositive();
    }
}
