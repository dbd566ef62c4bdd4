package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.SendResult;
import dev.pheromone.address.Actor;
import dev.pheromone.disk.PassingDisk;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.file.admission.Mute;
import dev.pheromone.file.remote.Outbox;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// Whoever says that mail is kept has kept it, even if the name was taken and free again in
/// between.
final class TakenNameTest {

    /// A disk on which a taken name is free again as soon as it was in the way: its holder sent on
    /// what was there.
    private static final class VanishingDisk extends PassingDisk {
        private boolean vanished;

        @Override
        public void link(Path existing, Path name) throws IOException {
            try {
                disk.link(existing, name);
            } catch (FileAlreadyExistsException e) {
                Files.delete(name);
                vanished = true;
                throw e;
            }
        }
    }

    @TempDir private Path root;
    private TestHive hive;
    private VanishingDisk disk;
    private Envelope envelope;

    @BeforeEach
    void open() throws Exception {
        hive = new TestHive(root);
        disk = new VanishingDisk();
        envelope = hive.mail().seal();
    }

    @Test
    void mailForAnotherTransportIsThereWhenItIsSaidToBe() throws Exception {
        try (FileTransport transport = hive.open(disk)) {
            Outbox outbox = transport.remote().outbox("team");
            outbox.keep(envelope, "away");
            SendResult result = outbox.keep(envelope, "away").copies().getFirst().result();
            assertThat(result).isInstanceOf(SendResult.Spooled.class);
        }
        checkKeptIn("outbox/team");
    }

    @Test
    void mailOfAMutedSenderIsThereWhenItIsSaidToBe() throws Exception {
        try (FileTransport transport = hive.open(disk)) {
            Instant now = hive.clock.instant();
            Instant until = now.plus(Duration.ofHours(1));
            transport
                    .muted()
                    .add(new Mute(Actor.parse("ada"), now, until, "noise", "you"), "unproven");
            transport.send(envelope);
            SendResult result = transport.send(envelope).copies().getFirst().result();
            assertThat(result).isInstanceOf(SendResult.Parked.class);
        }
        checkKeptIn("outbox/muted");
    }

    private void checkKeptIn(String folder) throws IOException {
        assertThat(disk.vanished).isTrue();
        List<String> kept =
                hive.filesIn(folder).stream().filter(name -> name.endsWith(".md")).toList();
        assertThat(kept).hasSize(1);
        assertThat(Files.readAllBytes(root.resolve(kept.getFirst()))).isEqualTo(envelope.bytes());
    }
}
