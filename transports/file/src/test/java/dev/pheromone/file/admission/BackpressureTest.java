package dev.pheromone.file.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.pheromone.Backpressure;
import dev.pheromone.HiveConfig;
import dev.pheromone.HiveConfig.BackpressureLimits;
import dev.pheromone.HiveConfig.SenderLimits;
import dev.pheromone.Inbox;
import dev.pheromone.Outcome;
import dev.pheromone.Receipt;
import dev.pheromone.SendResult;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Lane;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.FaultyDisk;
import dev.pheromone.disk.FaultyDisk.Fault;
import dev.pheromone.disk.InMemory;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.disk.PassingDisk;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeDraft;
import dev.pheromone.envelope.Priority;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.file.FileTransport;
import dev.pheromone.file.StormHive;
import dev.pheromone.file.TestHive;
import dev.pheromone.file.copy.FileLimits;
import dev.pheromone.file.upkeep.Recovery;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseKey;
import dev.pheromone.trust.TrustList;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// The specification's own test: a queue grows, `backpressure` is told, and producers are slowed
/// down until it has drained.
final class BackpressureTest {

    private static final int DEPTH_MAX = 10;
    private static final HiveConfig CONFIG =
            StormHive.limited(
                    new BackpressureLimits(DEPTH_MAX, Duration.ofMinutes(10)),
                    new SenderLimits(1_000, 1_000, 1_000));
    private static final int STEPS_MAX = 300;

    /// For the sweep over all steps, of which each envelope has some.
    private static final int FEW = 2;

    private static final HiveConfig CONFIG_OF_FEW =
            StormHive.limited(
                    new BackpressureLimits(FEW, Duration.ofMinutes(10)), SenderLimits.defaults());

    @TempDir(factory = InMemory.class)
    Path root;

    private TestHive hive;
    private FileTransport transport;
    private Inbox inbox;

    @BeforeEach
    void openTheHive() throws Exception {
        hive = new TestHive(root);
        transport = open(hive);
        inbox = transport.inbox(TestHive.CODE);
    }

    @AfterEach
    void close() throws IOException {
        transport.close();
    }

    private static FileTransport open(TestHive hive) {
        return open(hive, new LocalDisk());
    }

    private static FileTransport open(TestHive hive, Disk disk) {
        return hive.open(disk, CONFIG, TrustList.empty(), FileLimits.defaults());
    }

    private SendResult send(Priority priority) throws Exception {
        return send(hive.mail().priority(priority).seal());
    }

    private SendResult send(Envelope envelope) throws Exception {
        return transport.send(envelope).copies().getFirst().result();
    }

    private void fill(int count) throws Exception {
        for (int i = 0; i < count; i++) {
            assertThat(send(Priority.P2)).isInstanceOf(SendResult.Delivered.class);
        }
    }

    private void work(int count) throws Exception {
        for (int i = 0; i < count; i++) {
            inbox.settle(TestHive.take(inbox).token(), new Outcome.Done(""));
        }
    }

    private List<String> told() throws IOException {
        return hive.events("backpressure").stream()
                .map(event -> event.data().text("status") + " " + event.data().text("action"))
                .toList();
    }

    @Test
    void aQueueThatGrowsIsToldOnceAndProducersAreThrottled() throws Exception {
        fill(DEPTH_MAX);
        assertThat(told()).isEmpty();
        fill(1);
        assertThat(told()).containsExactly("entered refuse");
        RseEvent.Backpressure entered =
                (RseEvent.Backpressure) hive.events("backpressure").getFirst();
        assertThat(entered.data().number("inbox_depth")).isEqualTo(DEPTH_MAX + 1);

        assertThat(send(Priority.P2)).isInstanceOf(SendResult.Refused.class);
        assertThat(send(Priority.P3)).isInstanceOf(SendResult.Refused.class);
        assertThat(hive.delays).isEmpty();
        assertThat(send(Priority.P0)).isInstanceOf(SendResult.Delivered.class);
        assertThat(hive.delays).isEmpty();
        assertThat(send(Priority.P1)).isInstanceOf(SendResult.Delivered.class);
        assertThat(hive.delays).containsExactly(Duration.ofSeconds(2));
        assertThat(told()).hasSize(1);
    }

    @Test
    void whoIsRefusedIsToldWhenToComeAgain() throws Exception {
        fill(DEPTH_MAX + 1);
        SendResult.Refused refused = (SendResult.Refused) send(Priority.P2);
        assertThat(refused.retryAfter()).isBetween(Duration.ofSeconds(1), Duration.ofMinutes(1));
        assertThat(refused.reason()).contains("11 waiting, limit 10");
        assertThat(hive.events("pheromone_drop")).hasSize(DEPTH_MAX + 1);
    }

    @Test
    void otherProcessesAreThrottledTooAndOtherInboxesAreNot() throws Exception {
        fill(DEPTH_MAX + 1);
        try (FileTransport other = open(hive)) {
            assertThat(other.send(hive.mail().seal()).copies().getFirst().result())
                    .isInstanceOf(SendResult.Refused.class);
            assertThat(other.throttled(TestHive.CODE)).isPresent();
            assertThat(
                            other.send(hive.mail(List.of(Address.parse("queen://docs"))).seal())
                                    .copies()
                                    .getFirst()
                                    .result())
                    .isInstanceOf(SendResult.Delivered.class);
        }
        assertThat(told()).hasSize(1);
    }

    @Test
    void itDrainsTheUrgentFirstAndEndsBelowEightyPercent() throws Exception {
        fill(DEPTH_MAX + 1);
        Envelope urgent = hive.mail().priority(Priority.P0).seal();
        send(urgent);
        assertThat(TestHive.take(inbox).rationale()).startsWith("P0").contains("draining");
        work(3);
        assertThat(told()).hasSize(1);
        assertThat(send(Priority.P2)).isInstanceOf(SendResult.Refused.class);

        hive.clock.advance(Duration.ofSeconds(30));
        work(2);
        assertThat(told()).containsExactly("entered refuse", "left leave");
        assertThat(hive.events("backpressure").getLast().data().number("lasted_s")).isEqualTo(30);
        assertThat(send(Priority.P2)).isInstanceOf(SendResult.Delivered.class);
        assertThat(TestHive.take(inbox).rationale()).doesNotContain("draining");
    }

    @Test
    void whatIsThereAlreadyIsNeverRefusedOrDelayed() throws Exception {
        Envelope first = hive.mail().seal();
        send(first);
        fill(DEPTH_MAX);
        assertThat(send(Priority.P2)).isInstanceOf(SendResult.Refused.class);
        assertThat(send(first)).isInstanceOf(SendResult.Duplicate.class);
        assertThat(hive.delays).isEmpty();
    }

    @Test
    void ageAloneDelaysNobodysFirstFiveOfAMinute() throws Exception {
        fill(1);
        hive.clock.advance(Duration.ofMinutes(90));
        fill(5);
        assertThat(hive.delays).isEmpty();
        fill(1);
        assertThat(hive.delays).containsExactly(Duration.ofSeconds(1));

        hive.clock.advance(Duration.ofSeconds(61));
        fill(3);
        assertThat(hive.delays).hasSize(1);
        assertThat(told()).containsExactly("entered delay");
    }

    @Test
    void whoWaitedIsToldHowLongAndWhy() throws Exception {
        fill(1);
        hive.clock.advance(Duration.ofMinutes(90));
        assertThat(transport.send(hive.mail().seal()).waited()).isEqualTo(Receipt.Wait.NONE);
        hive.countAsSent(5);
        assertThat(transport.send(hive.mail().seal()).waited())
                .isEqualTo(
                        new Receipt.Wait(Duration.ofSeconds(1), "the oldest mail there is 1h old"));

        List<Address> both = List.of(Address.parse("queen://docs"), Address.parse("queen://code"));
        assertThat(transport.send(hive.mail(both).seal()).waited().reason())
                .isEqualTo("queen://code: the oldest mail there is 1h old");

        fill(DEPTH_MAX - 3);
        assertThat(transport.send(hive.mail().priority(Priority.P1).seal()).waited())
                .isEqualTo(
                        new Receipt.Wait(
                                Duration.ofSeconds(2), "the inbox is full: 11 waiting, limit 10"));
    }

    @Test
    void ageAloneDelaysAndDrains() throws Exception {
        fill(1);
        hive.clock.advance(Duration.ofMinutes(11));
        hive.countAsSent(5);
        assertThat(send(Priority.P3)).isInstanceOf(SendResult.Delivered.class);
        assertThat(send(Priority.P2)).isInstanceOf(SendResult.Delivered.class);
        assertThat(send(Priority.P1)).isInstanceOf(SendResult.Delivered.class);
        assertThat(send(Priority.P0)).isInstanceOf(SendResult.Delivered.class);
        assertThat(hive.delays).containsExactly(Duration.ofSeconds(3), Duration.ofSeconds(1));
        assertThat(told()).containsExactly("entered delay");
        assertThat(TestHive.take(inbox).rationale()).startsWith("P0").contains("draining");
    }

    @Test
    void aPersonsInboxIsNotThrottledByAge() throws Exception {
        List<Address> ada = List.of(Address.parse("user://ada"));
        transport.send(hive.mail(ada).ttl(Ttl.parse("7d")).seal());
        hive.clock.advance(Duration.ofMinutes(11));
        for (int i = 0; i < 10; i++) {
            transport.send(hive.mail(ada).priority(Priority.P3).seal());
        }
        assertThat(hive.delays).isEmpty();
        assertThat(told()).containsExactly("entered drain");
    }

    @Test
    void delaysOfSeveralInboxesPassTogether() throws Exception {
        List<Address> both = List.of(Address.parse("queen://code"), Address.parse("queen://docs"));
        transport.send(hive.mail(both).seal());
        hive.clock.advance(Duration.ofMinutes(11));
        hive.countAsSent(5);
        transport.send(hive.mail(both).priority(Priority.P3).seal());
        assertThat(hive.delays).containsExactly(Duration.ofSeconds(3));
    }

    @Test
    void housekeepingNoticesWhenNobodySendsOrSelects() throws Exception {
        for (int i = 0; i <= DEPTH_MAX; i++) {
            Envelope foreign = hive.mail().ttl(Ttl.parse("5m")).seal();
            hive.write(foreign, foreign.id() + ".md");
        }
        transport.upkeep().housekeep();
        assertThat(told()).containsExactly("entered refuse");

        hive.clock.advance(Duration.ofMinutes(6));
        transport.upkeep().housekeep();
        assertThat(told()).containsExactly("entered refuse", "left leave");
    }

    @Test
    void manyProcessesThatAskListTheInboxOnceASecond() throws Exception {
        for (int i = 0; i < 300; i++) {
            Envelope foreign = hive.mail().seal();
            hive.write(foreign, foreign.id() + ".md");
        }
        CountingDisk disk = new CountingDisk(hive.layout.inbox(TestHive.CODE));
        for (int i = 0; i < 5; i++) {
            try (FileTransport oneShot = open(hive, disk)) {
                oneShot.send(hive.mail().priority(Priority.P0).seal());
            }
        }
        assertThat(disk.listings).isEqualTo(1);
    }

    private static final class CountingDisk extends PassingDisk {
        private final Path folder;
        private int listings;

        CountingDisk(Path folder) {
            this.folder = folder;
        }

        @Override
        public List<Path> list(Path listed) throws IOException {
            listings += listed.equals(folder) ? 1 : 0;
            return super.list(listed);
        }
    }

    private static FileTransport openForFew(TestHive own, Disk disk) {
        return own.open(disk, CONFIG_OF_FEW, TrustList.empty(), FileLimits.defaults());
    }

    /// Entering and leaving, with a death or an error at every step: told once in the end.
    @ParameterizedTest
    @EnumSource(Fault.class)
    void isToldOnceWhateverStepFails(Fault fault) throws Exception {
        for (int step = 0; step < STEPS_MAX; step++) {
            TestHive own = new TestHive(Files.createDirectory(root.resolve("step-" + step)));
            FaultyDisk disk = new FaultyDisk(fault, step);
            for (int i = 0; i <= FEW; i++) {
                Envelope foreign = own.mail().ttl(Ttl.parse("5m")).seal();
                own.write(foreign, foreign.id() + ".md");
            }
            comeAndGo(own, disk);
            if (disk.hit().isEmpty()) {
                assertThat(step).isGreaterThan(10);
                return;
            }
            own.clock.advance(Duration.ofMinutes(6));
            try (FileTransport next = openForFew(own, new LocalDisk())) {
                next.upkeep().housekeep();
                own.clock.advance(Duration.ofMinutes(2));
                next.upkeep().recover(Recovery.Extent.ALL);
                next.upkeep().housekeep();
            }
            checkTold(own, step + ", " + disk.hit());
        }
        fail("more than " + STEPS_MAX + " steps");
    }

    private static void comeAndGo(TestHive own, FaultyDisk disk) throws Exception {
        try (FileTransport faulty = openForFew(own, disk)) {
            faulty.upkeep().housekeep();
            own.clock.advance(Duration.ofMinutes(6));
            faulty.upkeep().housekeep();
        } catch (FaultyDisk.Death death) {
            // As kill -9 would: nothing more happens here.
        } catch (IOException failure) {
            assertThat(failure).hasMessageContaining("No space left");
        }
    }

    private static void checkTold(TestHive own, String where) throws IOException {
        List<RseEvent> events = new ArrayList<>();
        own.readLog(events);
        Set<RseKey> keys = new HashSet<>();
        Set<String> statuses = new HashSet<>();
        for (RseEvent event : events) {
            if (event.type().equals("backpressure")) {
                keys.add(event.key().orElseThrow());
                statuses.add(event.data().text("status"));
            }
        }
        // It may be that nobody noticed it while it lasted.
        assertThat(statuses).as(where).isIn(Set.of(), Set.of("entered", "left"));
        assertThat(keys).as(where).hasSize(statuses.size());
        assertThat(own.filesIn("state/code"))
                .as(where)
                .noneMatch(name -> name.contains("backpressure"));
    }

    @Test
    void oneNoisySenderStarvesNobody() throws Exception {
        HiveConfig defaults = HiveConfig.defaults();
        try (FileTransport usual =
                hive.open(new LocalDisk(), defaults, TrustList.empty(), FileLimits.defaults())) {
            int delivered = 0;
            for (int i = 0; i < 1_500; i++) {
                if (i % 100 == 0) {
                    hive.clock.advance(Duration.ofSeconds(61));
                }
                SendResult result = usual.send(from("noisy").seal()).copies().getFirst().result();
                delivered += result instanceof SendResult.Delivered ? 1 : 0;
            }
            assertThat(delivered).isEqualTo(defaults.sender().waitingMax());
            assertThat(usual.throttled(TestHive.CODE).map(Throttled::cause))
                    .isNotEqualTo(Optional.of(Backpressure.Cause.DEPTH));
            assertThat(
                            usual.send(from("quiet").priority(Priority.P1).seal())
                                    .copies()
                                    .getFirst()
                                    .result())
                    .isInstanceOf(SendResult.Delivered.class);
            assertThat(TestHive.take(usual.inbox(TestHive.CODE)).envelope().from().name())
                    .isEqualTo("quiet");
        }
    }

    private EnvelopeDraft from(String sender) {
        return Envelope.draft(
                        Actor.parse(sender),
                        List.of(Address.parse("queen://code")),
                        Lane.CODE,
                        "test")
                .ts(hive.clock.instant())
                .body("Run.\n");
    }
}
