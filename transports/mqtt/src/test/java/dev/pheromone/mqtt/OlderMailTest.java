package dev.pheromone.mqtt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;

import dev.pheromone.OtherReceiverException;
import dev.pheromone.SendResult;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.testkit.FakeClock;
import dev.pheromone.testkit.MemoryTransport;
import dev.pheromone.testkit.Mosquitto;
import dev.pheromone.testkit.ReceivingHive;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/// Mail that version 0.1 left on a broker. `older-hive.txt` has what that version's own code made a
/// Mosquitto retain, a topic and the payload a line: one copy that waits, one that failed before,
/// one that somebody holds for half an hour, one for two inboxes, and the record of one that is
/// done.
@Timeout(120)
final class OlderMailTest {

    private static final Domain CODE = Domain.parse("code");
    private static final Domain DOCS = Domain.parse("docs");
    private static final Instant SENT = Instant.parse("2026-11-18T01:00:00Z");
    private static final Duration LEASE = Duration.ofMinutes(30);
    private static final int COPIES = 5;

    /// At which of the copies that are new to it a fetcher dies.
    private static final int DIES_AT = Boolean.getBoolean("rsm.long") ? 1 : 2;

    @TempDir Path folder;
    private final FakeClock clock = new FakeClock(SENT);
    private Mosquitto broker;
    private MqttOptions options;
    private MqttCarrier carrier;
    private MemoryTransport hive;

    @BeforeEach
    void open() throws Exception {
        Mosquitto.refuseWithout("OlderMailTest");
        broker = Mosquitto.start(folder, Mosquitto.OPEN);
        options = MqttOptions.of(broker.url(), "older").withJoining(MqttOptions.Joining.TAKES_OVER);
        carrier = MqttCarrier.open(options, clock);
        hive = ReceivingHive.memory(clock, CODE, DOCS);
        try (InputStream captured = OlderMailTest.class.getResourceAsStream("older-hive.txt")) {
            for (String line : new String(captured.readAllBytes(), UTF_8).lines().toList()) {
                String[] parts = line.split(" ", 2);
                retain(parts[0], Base64.getDecoder().decode(parts[1]));
            }
        }
    }

    @AfterEach
    void close() {
        if (broker != null) {
            carrier.close();
            broker.close();
        }
    }

    private void retain(String topic, byte[] payload) throws IOException {
        try (Connection connection = Connection.passing(options)) {
            var _ =
                    connection.await(
                            connection.publish(
                                    Mqtt5Publish.builder()
                                            .topic(topic)
                                            .qos(MqttQos.AT_LEAST_ONCE)
                                            .retain(true)
                                            .payload(payload)
                                            .build()));
        }
    }

    private Map<String, byte[]> retained(String filter) throws IOException {
        try (Retained look = new Retained(options, List.of(options.topics.of(filter)))) {
            return Map.copyOf(look.all());
        }
    }

    private SendResult store(Envelope envelope, Domain inbox) throws IOException {
        return hive.put(envelope, inbox);
    }

    private List<String> topics(Domain inbox) throws Exception {
        return hive.stored(inbox).stream().map(Envelope::topic).sorted().toList();
    }

    @Test
    void whatNobodyFinishedIsFetchedAndClearedButForWhatSomebodyHolds() throws Exception {
        assertThat(carrier.leftByOlder()).isEqualTo(5);
        MqttCarrier.Fetched fetched = carrier.fetchOlder(this::store);
        assertThat(fetched.stored()).isEqualTo(4);
        assertThat(fetched.left())
                .singleElement()
                .asString()
                .endsWith("held until " + SENT.plus(LEASE));
        assertThat(topics(CODE)).containsExactly("failed once", "for both", "waiting");
        assertThat(topics(DOCS)).containsExactly("for both");
        assertThat(carrier.leftByOlder()).isEqualTo(1);

        clock.advance(LEASE);
        assertThat(carrier.fetchOlder(this::store))
                .isEqualTo(new MqttCarrier.Fetched(1, List.of()));
        assertThat(topics(CODE)).containsExactly("failed once", "for both", "held", "waiting");
        assertThat(carrier.leftByOlder()).isZero();
        assertThat(retained("mail/#")).isEmpty();
        assertThat(retained("record/#")).isEmpty();
    }

    @Test
    void nothingIsFetchedWhileAProgramOfThatVersionIsConnected() throws Exception {
        try (MqttCarrier yielding =
                MqttCarrier.open(options.withJoining(MqttOptions.Joining.YIELDS), clock)) {
            assertThatThrownBy(() -> yielding.fetchOlder(this::store))
                    .isInstanceOf(OtherReceiverException.class)
                    .hasMessageContaining("version 0.1 is connected");
        }
        assertThat(hive.stored(CODE)).isEmpty();
    }

    @Test
    void whatIsFinishedThereIsClearedAndNotDeliveredAgain() throws Exception {
        for (String topic : retained("mail/#").keySet()) {
            String[] parts = topic.split("/", -1);
            String record =
                    "{\"mail\":\"sha256:%s\",\"state\":\"done\"}"
                            .formatted(parts[parts.length - 1]);
            retain(
                    options.topics.of("record/" + parts[3] + "/" + parts[5] + "/" + parts[6]),
                    record.getBytes(UTF_8));
        }
        assertThat(carrier.leftByOlder()).isZero();
        assertThat(carrier.fetchOlder(this::store))
                .isEqualTo(new MqttCarrier.Fetched(0, List.of()));
        assertThat(hive.stored(CODE)).isEmpty();
        assertThat(retained("mail/#")).isEmpty();
    }

    @Test
    void whatCanNotBeStoredOrUnderstoodStays() throws Exception {
        retain(options.topics.of("mail/code/0/01M7P2N/01M7P2NWM0ZQF6F2CETR1882EC/00"), new byte[9]);
        MqttCarrier.Fetched none =
                carrier.fetchOlder((_, _) -> {
                    throw new IOException("the disk is full");
                });
        assertThat(none.stored()).isZero();
        assertThat(none.left()).hasSize(6).anyMatch(why -> why.endsWith("the disk is full"));
        assertThat(carrier.leftByOlder()).isEqualTo(6);
        assertThat(retained("record/#")).hasSize(3);
    }

    @Test
    void aRecordThatCanNotBeReadLeavesItsCopyCounted() throws Exception {
        for (String topic : retained("record/#").keySet()) {
            retain(topic, "junk".getBytes(UTF_8));
        }
        assertThat(carrier.leftByOlder()).isEqualTo(5);
    }

    @Test
    void aFetcherThatIsKilledLosesNothingAndDoublesNothing() throws Exception {
        clock.advance(LEASE);
        int runs = 0;
        Process fetcher;
        do {
            assertThat(++runs).isLessThan(20);
            fetcher =
                    new ProcessBuilder(
                                    ProcessHandle.current().info().command().orElseThrow(),
                                    "-XX:TieredStopAtLevel=1",
                                    "-XX:+UseSerialGC",
                                    "-cp",
                                    System.getProperty("java.class.path"),
                                    Fetcher.class.getName(),
                                    broker.url(),
                                    folder.toString(),
                                    Integer.toString(DIES_AT))
                            .inheritIO()
                            .start();
            assertThat(fetcher.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } while (fetcher.exitValue() != 0);
        assertThat(runs).as("how often it died, and once more").isEqualTo(COPIES / DIES_AT + 1);
        assertThat(carrier.leftByOlder()).isZero();
        assertThat(Files.readAllLines(folder.resolve("code/effects")))
                .hasSize(4)
                .doesNotHaveDuplicates();
        assertThat(Files.readAllLines(folder.resolve("docs/effects"))).hasSize(1);
    }

    /// A process that fetches, and dies when it has stored the copy of that number which is new to
    /// it: `URL FOLDER NUMBER`.
    static final class Fetcher {

        private Fetcher() {}

        public static void main(String[] arguments) throws Exception {
            MqttOptions options =
                    MqttOptions.of(arguments[0], "older")
                            .withJoining(MqttOptions.Joining.TAKES_OVER);
            InstantSource later = InstantSource.fixed(SENT.plus(LEASE));
            AtomicInteger left = new AtomicInteger(Integer.parseInt(arguments[2]));
            try (MqttCarrier carrier = MqttCarrier.open(options, later)) {
                var _ =
                        carrier.fetchOlder((envelope, inbox) -> {
                            Path folder = Path.of(arguments[1]).resolve(inbox.name());
                            Files.createDirectories(folder);
                            SendResult result = ReceiverMain.store(folder, envelope);
                            if (result instanceof SendResult.Delivered
                                    && left.decrementAndGet() == 0) {
                                Runtime.getRuntime().halt(1);
                            }
                            return result;
                        });
            }
            System.exit(0);
        }
    }
}
