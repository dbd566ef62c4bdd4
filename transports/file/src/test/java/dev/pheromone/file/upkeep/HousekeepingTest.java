package dev.pheromone.file.upkeep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.State;
import dev.pheromone.disk.FaultyDisk;
import dev.pheromone.disk.PassingDisk;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.file.FileTransport;
import dev.pheromone.file.OneInbox;
import dev.pheromone.file.TestHive;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;

/// What a hive needs is done even if nobody sends or selects.
final class HousekeepingTest extends OneInbox {

    @Test
    void expiredMailIsArchived() throws Exception {
        transport.send(hive.mail().ttl(Ttl.parse("10s")).seal());
        hive.clock.advance(Duration.ofSeconds(11));

        assertThat(transport.upkeep().housekeep()).isEmpty();

        assertThat(TestHive.states(transport)).containsExactly(State.EXPIRED);
    }

    @Test
    void aLostClaimComesBack() throws Exception {
        transport.send(hive.mail().seal());
        TestHive.take(inbox);
        hive.clock.advance(TestHive.LEASE.duration().plusSeconds(1));

        transport.upkeep().housekeep();

        assertThat(TestHive.states(transport)).containsExactly(State.WAITING);
    }

    @Test
    void whatIsNoMailIsCleared() throws Exception {
        for (int i = 0; i < 40; i++) {
            Files.writeString(
                    hive.layout.inbox(TestHive.CODE).resolve("note" + i + ".md"), "no header");
        }
        hive.clock.advance(Duration.ofSeconds(30));

        transport.upkeep().housekeep();

        assertThat(hive.filesIn("inbox/code")).isEmpty();
        assertThat(hive.filesIn("archive/code/dead")).hasSize(40);
    }

    @Test
    void mailThatTakesAnExpiredOnesPlaceSurvivesADeathInThatMoment() throws Exception {
        Envelope old = hive.mail().ttl(Ttl.parse("10s")).seal();
        transport.send(old);
        hive.clock.advance(Duration.ofSeconds(11));
        Envelope anew = hive.mail().id(old.id()).body("Anew.\n").seal();

        dieOverReplaced(hive.layout.mail(TestHive.CODE, old.id()), anew);

        assertThat(TestHive.take(inbox).envelope()).isEqualTo(anew);
    }

    @Test
    void mailThatTakesABadFilesPlaceSurvivesADeathInThatMoment() throws Exception {
        Path file = hive.layout.inbox(TestHive.CODE).resolve("note.md");
        Files.writeString(file, "no header");
        hive.clock.advance(Duration.ofSeconds(30));
        Envelope mail = hive.mail().seal();

        dieOverReplaced(file, mail);

        assertThat(TestHive.take(inbox).envelope()).isEqualTo(mail);
    }

    /// Tidies up until the process dies that moved `file`, which its writer had just replaced; then
    /// others do what is left to do.
    private void dieOverReplaced(Path file, Envelope envelope) throws Exception {
        FileTransport dying = hive.open(new ReplacingDisk(file, envelope));
        assertThatThrownBy(dying.upkeep()::housekeep).isInstanceOf(FaultyDisk.Death.class);
        hive.clock.advance(Duration.ofMinutes(2));
        transport.upkeep().housekeep();
    }

    /// A disk on which a file is replaced just before it is moved; the process dies just after.
    private static final class ReplacingDisk extends PassingDisk {
        private final Path file;
        private final Envelope envelope;

        ReplacingDisk(Path file, Envelope envelope) {
            this.file = file;
            this.envelope = envelope;
        }

        @Override
        public void rename(Path from, Path to) throws IOException {
            if (!from.equals(file)) {
                disk.rename(from, to);
                return;
            }
            Path better = file.resolveSibling(".tmp").resolve("better");
            Files.write(better, envelope.bytes());
            Files.move(better, file, StandardCopyOption.REPLACE_EXISTING);
            disk.rename(from, to);
            throw new FaultyDisk.Death("after its move to " + to);
        }
    }
}
