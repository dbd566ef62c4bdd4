package dev.pheromone.mqtt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import com.hivemq.client.mqtt.mqtt5.message.subscribe.Mqtt5RetainHandling;

import dev.pheromone.Carrier;
import dev.pheromone.Claim;
import dev.pheromone.HiveConfig;
import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.SendResult;
import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Consent;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeDraft;
import dev.pheromone.envelope.KeyId;
import dev.pheromone.envelope.Priority;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.testkit.FakeClock;
import dev.pheromone.testkit.KillableServer;
import dev.pheromone.testkit.MemoryTransport;
import dev.pheromone.testkit.ReceivingHive;
import dev.pheromone.trust.Key;
import dev.pheromone.trust.Signer;
import dev.pheromone.trust.TrustList;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/// Whoever may use the broker can publish anything, anywhere: it is answered and reported, and
/// stops nobody.
@Timeout(120)
@ParameterizedClass
@MethodSource("brokers")
final class HostileMailTest {

    private static final Domain CODE = Domain.parse("code");
    private static final Actor ADA = Actor.parse("ada");
    private static final int PUBLISH = 0x32;
    private static final int PUBLISH_RETAINED = 0x33;
    private static final AtomicInteger HIVES = new AtomicInteger();
    private static final Signer KEY = Signer.ed25519(KeyId.parse("receiver-1"), new byte[32]);
    private static final Signer OTHER =
            Signer.ed25519(KeyId.parse("receiver-1"), "x".repeat(32).getBytes(UTF_8));

    @TempDir static Path folder;
    private static KillableServer broker;

    @Parameter Broker kind;
    private final FakeClock clock = new FakeClock(Instant.now().truncatedTo(ChronoUnit.MILLIS));
    private final Queue<String> troubles = new ConcurrentLinkedQueue<>();
    private final Queue<Mqtt5Publish> heard = new ConcurrentLinkedQueue<>();
    private MqttOptions options;
    private Topics topics;
    private MqttCarrier carrier;
    private Connection hostile;

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
    void open() throws IOException {
        String hive = "hostile" + HIVES.incrementAndGet();
        options = MqttOptions.of(Broker.url(broker), hive).withTroubles(troubles::add);
        topics = new Topics(hive);
        carrier = MqttCarrier.open(options, clock);
        hostile =
                Connection.passing(options, List.of(), Mqtt5RetainHandling.DO_NOT_SEND, heard::add);
    }

    @AfterEach
    void close() {
        hostile.close();
        carrier.close();
    }

    private ReceivingHive join() throws Exception {
        return new ReceivingHive(MqttCarrier.open(options, clock), clock, CODE);
    }

    private static Envelope mail(Instant now, UnaryOperator<EnvelopeDraft> change) {
        return change.apply(
                        Envelope.draft(ADA, List.of(CODE.address()), Lane.CODE, "deploy").ts(now))
                .seal();
    }

    private Envelope mail() {
        return mail(clock.instant(), draft -> draft);
    }

    private static boolean isOf(Mqtt5Publish message, Envelope envelope) {
        return new String(message.getPayloadAsBytes(), UTF_8).contains(envelope.id().text());
    }

    private Mqtt5Publish message(String topic, byte[] payload, String response) {
        return Mqtt5Publish.builder()
                .topic(topic)
                .qos(MqttQos.AT_LEAST_ONCE)
                .payload(payload)
                .responseTopic(response)
                .correlationData(new byte[] {1, 2})
                .build();
    }

    /// Publishes `payload` as mail, and returns the receipt for it.
    private String answerTo(byte[] payload) throws IOException {
        String receipts = topics.receipt(Topics.nonce());
        hostile.subscribe(receipts, Mqtt5RetainHandling.DO_NOT_SEND);
        heard.clear();
        var _ = hostile.await(hostile.publish(message(topics.inbox(CODE), payload, receipts)));
        await().atMost(Duration.ofSeconds(20)).until(() -> !heard.isEmpty());
        return new String(heard.remove().getPayloadAsBytes(), UTF_8);
    }

    private void assertStillReceives(ReceivingHive hive) throws Exception {
        Envelope envelope = mail();
        assertThat(carrier.send(envelope).copies().getFirst().result())
                .isInstanceOf(SendResult.Delivered.class);
        var _ = hive.await(envelope, CODE);
        assertThat(hive.stored(CODE)).contains(envelope);
    }

    @Test
    void aForeignProgramDeliversAnEnvelopeWithOneMessage() throws Exception {
        try (ReceivingHive hive = join()) {
            Envelope envelope = mail();
            assertThat(answerTo(envelope.bytes()))
                    .isEqualTo(
                            ("{\"inbox\":\"code\",\"correlation\":\"0102\",\"id\":\"%s\","
                                            + "\"hash\":\"%s\",\"state\":\"delivered\","
                                            + "\"confirmed\":true,\"by\":\"receiver.one\"}")
                                    .formatted(envelope.id(), envelope.hash()));
            assertThat(hive.await(envelope, CODE).bytes()).isEqualTo(envelope.bytes());

            Envelope unasked = mail();
            Mqtt5Publish bare =
                    Mqtt5Publish.builder()
                            .topic(topics.inbox(CODE))
                            .qos(MqttQos.AT_LEAST_ONCE)
                            .payload(unasked.bytes())
                            .build();
            var _ = hostile.await(hostile.publish(bare));
            var _ = hive.await(unasked, CODE);
        }
    }

    @Test
    void whatNoInboxWouldTakeIsRejectedWithItsReason() throws Exception {
        try (ReceivingHive hive = join()) {
            assertThat(answerTo("junk".getBytes(UTF_8))).contains("\"state\":\"rejected\"");
            assertThat(answerTo(new byte[0])).contains("\"state\":\"rejected\"");
            assertThat(answerTo(new byte[100_000]))
                    .contains("found 100000 bytes, expected at most");
            Envelope elsewhere =
                    Envelope.draft(
                                    ADA,
                                    List.of(Domain.parse("docs").address()),
                                    Lane.CODE,
                                    "elsewhere")
                            .ts(clock.instant())
                            .seal();
            assertThat(answerTo(elsewhere.bytes())).contains("misaddressed");
            Envelope old =
                    mail(
                            clock.instant().minus(Duration.ofHours(1)),
                            draft -> draft.ttl(Ttl.parse("10m")));
            assertThat(answerTo(old.bytes())).contains("expired: ttl 10m is over");
            Envelope early = mail(clock.instant().plus(Duration.ofDays(3)), draft -> draft);
            assertThat(answerTo(early.bytes())).contains("more than a day ahead");
            Envelope secret = mail(clock.instant(), draft -> draft.consent(Consent.PRIVATE));
            assertThat(answerTo(secret.bytes()))
                    .contains("\"state\":\"refused\",\"consent\":\"private\"");
            assertThat(hive.stored(CODE)).isEmpty();
            assertThat(troubles).hasSize(7).allMatch(one -> one.startsWith("inbox code: "));
            assertStillReceives(hive);
        }
    }

    @Test
    void nobodyMakesAReceiverPublishElsewhere() throws Exception {
        try (ReceivingHive hive = join()) {
            hostile.subscribe("#", Mqtt5RetainHandling.DO_NOT_SEND);
            for (String topic :
                    List.of(
                            topics.inbox(CODE),
                            "elsewhere",
                            topics.presence(CODE),
                            topics.receipt("x"),
                            new Topics("other").receipt(Topics.nonce()))) {
                Envelope envelope = mail();
                var _ =
                        hostile.await(
                                hostile.publish(
                                        message(topics.inbox(CODE), envelope.bytes(), topic)));
                var _ = hive.await(envelope, CODE);
            }
            await().atMost(Duration.ofSeconds(20)).until(() -> troubles.size() == 5);
            assertStillReceives(hive);
            assertThat(heard)
                    .extracting(message -> message.getTopic().toString())
                    .doesNotContain("elsewhere")
                    .noneMatch(topic -> topic.startsWith("rsm/other/"));
        }
    }

    @Test
    void aMessageThatNoClientCanReadHoldsUpNobody() throws Exception {
        try (ReceivingHive hive = join()) {
            publishRaw(PUBLISH, topics.inbox(CODE), "wild/#");
            publishRaw(PUBLISH, topics.inbox(CODE), "");
            Envelope envelope = mail();
            // What the broker kept in the same session is lost with it, and sent again.
            await().atMost(Duration.ofSeconds(30))
                    .until(() ->
                            Carrier.Fate.of(carrier.send(envelope).copies().getFirst().result())
                                    == Carrier.Fate.TAKEN);
            assertThat(hive.stored(CODE)).containsExactly(envelope);
            assertStillReceives(hive);
        }
    }

    @Test
    void aPresenceThatNoClientCanReadIsNobodys() throws Exception {
        publishRaw(PUBLISH_RETAINED, topics.presence(CODE), "wild/#");
        try (ReceivingHive hive = join()) {
            assertStillReceives(hive);
            publishRaw(PUBLISH_RETAINED, topics.presence(CODE), "wild/#");
            // The connection ends, and the receiver looks who is present.
            publishRaw(PUBLISH, topics.inbox(CODE), "wild/#");
            Envelope envelope = mail();
            await().atMost(Duration.ofSeconds(30))
                    .until(() ->
                            Carrier.Fate.of(carrier.send(envelope).copies().getFirst().result())
                                    == Carrier.Fate.TAKEN);
            assertThat(hive.stored(CODE)).contains(envelope);
            assertThat(carrier.domains()).containsExactly(CODE);
        }
    }

    @Test
    void aPresenceThatNoClientCanReadIsToldAndHidesNothingBeforeIt() throws Exception {
        assertThat(carrier.domains()).isEmpty();
        publishRaw(PUBLISH_RETAINED, topics.presence(Domain.parse("docs")), "wild/#");
        assertThat(carrier.domains()).isEmpty();
        // HiveMQ does not pass on such a message.
        if (kind != Broker.HIVEMQ) {
            assertThat(troubles)
                    .singleElement()
                    .asString()
                    .contains("presence/+: a retained message can't be read");
        }
    }

    @Test
    void sendersWhoseCopiesNeverEndKeepNobodyFromHearingOfAnEnd() throws Exception {
        MemoryTransport kept = ReceivingHive.memory(clock, CODE);
        try (ReceivingHive hive = new ReceivingHive(MqttCarrier.open(options, clock), kept, CODE);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Envelope endless = mail();
            String receipts = topics.receipt(Topics.nonce());
            for (int i = 0; i < 300; i++) {
                Mqtt5Publish asking =
                        Mqtt5Publish.builder()
                                .topic(topics.inbox(CODE))
                                .qos(MqttQos.AT_LEAST_ONCE)
                                .payload(endless.bytes())
                                .responseTopic(receipts)
                                .correlationData(new byte[] {(byte) i, (byte) (i >> 8)})
                                .userProperties()
                                .add(Outgoing.HEAR, Outgoing.ENDED)
                                .applyUserProperties()
                                .build();
                var _ = hostile.await(hostile.publish(asking));
            }
            hive.awaitOffers(300);
            Envelope envelope = mail(clock.instant(), draft -> draft.priority(Priority.P0));
            Future<Optional<State>> end =
                    threads.submit(() ->
                            carrier.awaitEnd(envelope, CODE, Duration.ofSeconds(15), () -> {}));
            var _ = hive.await(envelope, CODE);
            hive.awaitOffers(301);
            Inbox inbox = kept.inbox(CODE);
            Selection selection = inbox.select(ADA, Lease.unattended(Duration.ofMinutes(1)));
            Claim claim = ((Selection.Taken) selection).claim();
            assertThat(claim.envelope()).isEqualTo(envelope);
            var _ = inbox.settle(claim.token(), new Outcome.Done(""));
            assertThat(end.get(60, TimeUnit.SECONDS)).contains(State.DONE);
        }
    }

    /// Publishes a message whose response topic is none, as the client library would not.
    private static void publishRaw(int type, String topic, String responseTopic)
            throws IOException {
        byte[] connect = {0x10, 16, 0, 4, 'M', 'Q', 'T', 'T', 5, 2, 0, 60, 0, 0, 3, 'e', 'v', 'e'};
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream publish = new DataOutputStream(bytes);
        publish.writeUTF(topic);
        publish.writeShort(1);
        publish.writeByte(responseTopic.length() + 3);
        publish.writeByte(8);
        publish.writeUTF(responseTopic);
        publish.writeBytes("junk");
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), broker.port())) {
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            out.write(connect);
            out.writeByte(type);
            out.writeByte(bytes.size());
            bytes.writeTo(out);
            out.flush();
            socket.shutdownOutput();
            // Until the broker has taken the message, or refused it.
            byte[] _ = socket.getInputStream().readAllBytes();
        }
    }

    @Test
    void hugeAndRetainedMessagesDoNoHarm() throws Exception {
        try (ReceivingHive hive = join()) {
            var _ =
                    hostile.await(
                            hostile.publish(
                                    Mqtt5Publish.builder()
                                            .topic(topics.inbox(CODE))
                                            .qos(MqttQos.AT_LEAST_ONCE)
                                            .payload(new byte[20 * 1024 * 1024])
                                            .build()));
            for (byte[] junk : List.of("junk".getBytes(UTF_8), new byte[5_000])) {
                var _ =
                        hostile.await(
                                hostile.publish(
                                        Mqtt5Publish.builder()
                                                .topic(topics.inbox(CODE))
                                                .qos(MqttQos.AT_LEAST_ONCE)
                                                .retain(true)
                                                .payload(junk)
                                                .build()));
            }
            assertStillReceives(hive);
        }
        troubles.clear();
        try (ReceivingHive hive = join()) {
            assertStillReceives(hive);
            // What is retained there does not come again with each connection.
            assertThat(troubles).isEmpty();
        }
    }

    @Test
    void aReceiptThatCanNotBeBelievedDoesNotCount() throws Exception {
        TrustList trust = TrustList.empty().with(Key.of(KEY, List.of(ReceivingHive.SELF)));
        MqttOptions strict =
                options.withConfig(HiveConfig.defaults(), trust)
                        .withReceiptWait(Duration.ofMillis(500))
                        .withReceivers(Set.of(ReceivingHive.SELF))
                        .withTroubles(troubles::add);
        MqttOptions unsigned = options;
        try (MqttCarrier sender = MqttCarrier.open(strict, clock)) {
            for (MqttOptions receiver : List.of(unsigned, unsigned.withSigner(OTHER))) {
                troubles.clear();
                try (ReceivingHive hive =
                        new ReceivingHive(MqttCarrier.open(receiver, clock), clock, CODE)) {
                    Envelope envelope = mail();
                    assertThat(sender.send(envelope).copies().getFirst().result())
                            .isInstanceOf(SendResult.Unanswered.class);
                    var _ = hive.await(envelope, CODE);
                    assertThat(troubles).anyMatch(one -> one.contains("receipt: "));
                }
            }
            try (ReceivingHive hive =
                    new ReceivingHive(
                            MqttCarrier.open(unsigned.withSigner(KEY), clock), clock, CODE)) {
                Envelope envelope = mail();
                assertThat(sender.send(envelope).copies().getFirst().result())
                        .isInstanceOf(SendResult.Delivered.class);
                var _ = hive.await(envelope, CODE);
            }
        }
    }

    @Test
    void aReceiptThatCanNotBeReadLeavesItsSenderListening() throws Exception {
        MqttOptions deaf =
                options.withTroubles(trouble -> {
                    troubles.add(trouble);
                    throw new IllegalStateException("nobody hears of troubles");
                });
        hostile.subscribe(topics.inbox(CODE), Mqtt5RetainHandling.DO_NOT_SEND);
        try (ReceivingHive hive = new ReceivingHive(MqttCarrier.open(deaf, clock), clock, CODE)) {
            for (MqttOptions sending : List.of(options, deaf)) {
                try (MqttCarrier sender = MqttCarrier.open(sending, clock)) {
                    troubles.clear();
                    Envelope envelope = mail();
                    assertThat(sender.send(envelope).copies().getFirst().result())
                            .isInstanceOf(SendResult.Delivered.class);
                    // Mail of the sender before may be heard late.
                    await().atMost(Duration.ofSeconds(20))
                            .until(() -> {
                                heard.removeIf(each -> !isOf(each, envelope));
                                return !heard.isEmpty();
                            });
                    String json =
                            "{\"inbox\":\"code\",\"correlation\":\"00\",\"by\":\"eve\","
                                    + "\"state\":\"outbox\",\"until_at\":\"x\"}";
                    var _ =
                            hostile.await(
                                    hostile.publish(
                                            Mqtt5Publish.builder()
                                                    .topic(heard.remove().getResponseTopic().get())
                                                    .qos(MqttQos.AT_LEAST_ONCE)
                                                    .payload(json.getBytes(UTF_8))
                                                    .build()));
                    await().atMost(Duration.ofSeconds(20)).until(() -> !troubles.isEmpty());
                    await().atMost(Duration.ofSeconds(20))
                            .until(() ->
                                    sender.send(mail()).copies().getFirst().result()
                                            instanceof SendResult.Delivered);
                }
            }
            troubles.clear();
            var _ =
                    hostile.await(
                            hostile.publish(
                                    message(
                                            topics.inbox(CODE),
                                            "junk".getBytes(UTF_8),
                                            topics.receipt(Topics.nonce()))));
            await().atMost(Duration.ofSeconds(20)).until(() -> !troubles.isEmpty());
            assertStillReceives(hive);
        }
    }

    @Test
    void aForgedReceiptForAnotherMessageDoesNotCount() throws Exception {
        hostile.subscribe(topics.inbox(CODE), Mqtt5RetainHandling.DO_NOT_SEND);
        Envelope envelope = mail();
        try (MqttCarrier sender =
                MqttCarrier.open(options.withReceiptWait(Duration.ofSeconds(60)), clock)) {
            var sending =
                    CompletableFuture.supplyAsync(() -> {
                        try {
                            return sender.send(envelope).copies().getFirst().result();
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    });
            await().atMost(Duration.ofSeconds(20)).until(() -> !heard.isEmpty());
            Mqtt5Publish seen = heard.remove();
            String receipts = seen.getResponseTopic().orElseThrow().toString();
            for (String json :
                    List.of(
                            "{}",
                            "not json",
                            "{\"inbox\":\"code\",\"correlation\":\"00\",\"state\":\"delivered\","
                                    + "\"confirmed\":true,\"by\":\"eve\"}",
                            "x".repeat(10_000))) {
                var _ =
                        hostile.await(
                                hostile.publish(
                                        Mqtt5Publish.builder()
                                                .topic(receipts)
                                                .qos(MqttQos.AT_LEAST_ONCE)
                                                .payload(json.getBytes(UTF_8))
                                                .build()));
            }
            String correlation = ReceiptMessage.hex(seen.getCorrelationData().orElseThrow());
            ReceiptMessage real =
                    new ReceiptMessage(
                            CODE,
                            correlation,
                            envelope.id(),
                            envelope.hash(),
                            new ReceiptMessage.Word.Came(new SendResult.Duplicate("there")),
                            ADA);
            var _ = hostile.await(hostile.publish(real.to(receipts, null)));
            assertThat(sending.get())
                    .as("the one that counts")
                    .isInstanceOf(SendResult.Duplicate.class);
        }
        assertThat(topics.isReceipt(topics.receipt("A".repeat(32)))).isFalse();
    }
}
