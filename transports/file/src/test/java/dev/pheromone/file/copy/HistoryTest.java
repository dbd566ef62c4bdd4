package dev.pheromone.file.copy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Claim;
import dev.pheromone.Inbox;
import dev.pheromone.Outcome;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.file.FileTransport;
import dev.pheromone.file.TestHive;
import dev.pheromone.text.Json;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

class HistoryTest {

    @TempDir Path folder;
    private TestHive hive;
    private History history;

    @BeforeEach
    void open() throws Exception {
        hive = new TestHive(folder);
        history = new History(new LocalDisk(), hive.layout, TestHive.SELF);
    }

    /// An agent that takes and gives back in a loop for days.
    @Test
    void historyLongerThanWhatIsReadStillTellsHowItBeganAndHowItStands() throws Exception {
        Envelope envelope = hive.mail().seal();
        try (FileTransport transport = hive.open()) {
            transport.send(envelope);
            Inbox inbox = transport.inbox(TestHive.CODE);
            Claim first = TestHive.take(inbox);
            inbox.settle(first.token(), new Outcome.Released("not now"));

            Path file = hive.layout.history(TestHive.CODE, envelope.id().text());
            String lines = Files.readString(file);
            String cycle = lines.substring(lines.indexOf('\n') + 1);
            int cycles = History.BYTES_MAX / cycle.length() + 1;
            Files.writeString(file, lines + cycle.repeat(cycles));
            inbox.settle(TestHive.take(inbox).token(), new Outcome.Failed("no"));

            assertThat(Files.size(file)).isGreaterThan(History.BYTES_MAX);
            History.Facts facts = history.read(TestHive.CODE, envelope.id().text());
            assertThat(facts.firstSeen()).isNotNull();
            assertThat(facts.attempts()).isEqualTo(1);
            assertThat(facts.notBefore()).isAfter(hive.clock.instant());
            TestHive.assertNothing(inbox);
            hive.clock.advance(Duration.ofMinutes(1));
            assertThat(TestHive.take(inbox).attempt()).isEqualTo(2);
        }
    }

    @Test
    void longNoteIsCutBetweenCharacters() throws Exception {
        Envelope envelope = hive.mail().seal();
        try (FileTransport transport = hive.open()) {
            transport.send(envelope);
            Inbox inbox = transport.inbox(TestHive.CODE);
            inbox.settle(TestHive.take(inbox).token(), new Outcome.Failed("🐝".repeat(20_000)));
        }
        Json.Obj last = history.read(TestHive.CODE, envelope.id().text()).steps().getLast();
        assertThat(last.text("note")).isEqualTo("🐝".repeat(1_000) + "…");
    }
}
