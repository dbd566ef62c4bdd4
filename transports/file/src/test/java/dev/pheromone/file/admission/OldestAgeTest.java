package dev.pheromone.file.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.HiveConfig;
import dev.pheromone.HiveConfig.ArchivePolicy;
import dev.pheromone.HiveConfig.BackpressureLimits;
import dev.pheromone.HiveConfig.SenderLimits;
import dev.pheromone.Inbox;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.SendResult;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeDraft;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Priority;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.file.FileTransport;
import dev.pheromone.file.StormHive;
import dev.pheromone.file.TestHive;
import dev.pheromone.file.copy.FileLimits;
import dev.pheromone.trust.TrustList;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// Who sends finds the oldest that waits, whatever lies before it; and who can't find it leaves
/// backpressure as it is.
final class OldestAgeTest {

    private static final Duration AGE_MAX = Duration.ofMinutes(1);
    private static final Duration LONG = Duration.ofSeconds(70);
    private static final Duration DELAY = Duration.ofSeconds(3);

    /// So that files are younger than what is in them, but not by so much that it is not believed.
    private static final Duration BACK = Duration.ofMinutes(4);

    /// More than anybody looks at who only wants to send.
    private static final int MANY = 300;

    private static final HiveConfig CONFIG = config();

    @TempDir Path root;
    private TestHive hive;
    private FileTransport transport;

    @BeforeEach
    void openTheHive() throws Exception {
        hive = new TestHive(root, Instant.now().minus(BACK));
        transport = open();
    }

    @AfterEach
    void close() throws IOException {
        transport.close();
    }

    /// Expired mail stays until a person approves.
    private static HiveConfig config() {
        HiveConfig limited =
                StormHive.limited(
                        new BackpressureLimits(1_000, AGE_MAX),
                        new SenderLimits(1_000, 1_000, 1_000));
        return new HiveConfig(
                limited.domains(),
                limited.lanes(),
                limited.signatures(),
                ArchivePolicy.APPROVE,
                limited.ttl(),
                limited.halfLife(),
                limited.dueTurn(),
                limited.backpressure(),
                limited.sender(),
                limited.lease(),
                limited.attempts(),
                limited.scopes(),
                limited.transports(),
                limited.notifying(),
                limited.separate());
    }

    private FileTransport open() {
        return hive.open(new LocalDisk(), CONFIG, TrustList.empty(), FileLimits.defaults());
    }

    /// Sends as a process does that lives for this alone, in the name of a sender that has sent
    /// much in the last minute; returns how long it was delayed.
    private Duration sendOnce(EnvelopeDraft draft) throws Exception {
        hive.countAsSent(5);
        int before = hive.delays.size();
        try (FileTransport oneShot = open()) {
            assertThat(oneShot.send(draft.seal()).copies().getFirst().result())
                    .isInstanceOf(SendResult.Delivered.class);
        }
        return hive.delays.size() == before ? Duration.ZERO : hive.delays.getLast();
    }

    private EnvelopeDraft lazy() {
        return hive.mail().priority(Priority.P3).ttl(Ttl.parse("7d"));
    }

    private void failAll() throws Exception {
        Inbox inbox = transport.inbox(TestHive.CODE);
        while (inbox.select(TestHive.WORKER, TestHive.LEASE)
                instanceof Selection.Taken(var claim)) {
            inbox.settle(claim.token(), new Outcome.Failed("no"));
        }
    }

    private void writeExpired(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            Envelope expired =
                    hive.mail()
                            .id(id(i))
                            .ts(hive.clock.instant().minus(LONG))
                            .ttl(Ttl.parse("1m"))
                            .seal();
            hive.write(expired, expired.id() + ".md");
        }
    }

    /// An id that comes before all that are made of the time.
    private static EnvelopeId id(int number) {
        return EnvelopeId.parse("%026d".formatted(number));
    }

    private List<String> told() throws IOException {
        return hive.events("backpressure").stream()
                .map(event -> event.data().text("status"))
                .toList();
    }

    @Test
    void mailThatPausesAfterAFailureWaitsToo() throws Exception {
        assertThat(sendOnce(lazy())).isZero();
        hive.clock.advance(LONG);
        failAll();
        assertThat(sendOnce(lazy())).isEqualTo(DELAY);
        assertThat(told()).containsExactly("entered");
    }

    @Test
    void itNeitherComesNorGoesWithPauses() throws Exception {
        for (int i = 0; i < 4; i++) {
            assertThat(sendOnce(lazy())).isZero();
        }
        hive.clock.advance(LONG);
        for (int round = 0; round < 3; round++) {
            failAll();
            assertThat(sendOnce(lazy())).isEqualTo(DELAY);
            hive.clock.advance(Duration.ofSeconds(30));
        }
        assertThat(told()).containsExactly("entered");
    }

    @Test
    void expiredMailHidesNothingAndHasNoAge() throws Exception {
        writeExpired(6);
        assertThat(sendOnce(lazy())).isZero();
        hive.clock.advance(LONG);
        assertThat(sendOnce(lazy())).isEqualTo(DELAY);
    }

    @Test
    void aNameSaysNothingAboutAge() throws Exception {
        sendOnce(lazy().id(EnvelopeId.parse("ffffffff-0000-4000-8000-000000000000")));
        hive.clock.advance(AGE_MAX.dividedBy(2));
        for (int i = 0; i < 6; i++) {
            assertThat(sendOnce(lazy().id(id(i)))).isZero();
        }
        hive.clock.advance(AGE_MAX.dividedBy(2).plusSeconds(1));
        assertThat(sendOnce(lazy())).isEqualTo(DELAY);
    }

    @Test
    void whoDoesNotKnowTheOldestEndsNothing() throws Exception {
        assertThat(sendOnce(lazy())).isZero();
        hive.clock.advance(LONG);
        assertThat(sendOnce(lazy())).isEqualTo(DELAY);
        writeExpired(MANY);
        hive.clock.advance(Duration.ofSeconds(2));
        assertThat(sendOnce(lazy())).isEqualTo(DELAY);
        // This one reads what that one counted.
        assertThat(sendOnce(lazy())).isEqualTo(DELAY);
        assertThat(told()).containsExactly("entered");
    }

    @Test
    void aReaderKnowsThatItIsOver() throws Exception {
        sendOnce(lazy().ttl(Ttl.parse("2m")));
        hive.clock.advance(LONG);
        sendOnce(lazy().ttl(Ttl.parse("1m")));
        writeExpired(MANY);
        hive.clock.advance(LONG);
        transport.upkeep().housekeep();
        assertThat(told()).containsExactly("entered", "left");
    }
}
