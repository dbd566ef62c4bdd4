package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Outcome;
import dev.pheromone.SendResult;
import dev.pheromone.State;
import dev.pheromone.disk.Boot;
import dev.pheromone.disk.PassingDisk;
import dev.pheromone.envelope.Envelope;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// What a power cut leaves of mail that nobody was told of, and of events that nobody forced.
final class TornMailTest extends OneInbox {

    /// Shares of the file in percent: nothing, a part of the header, and a part of the body.
    @ParameterizedTest
    @ValueSource(ints = {0, 20, 99})
    void mailIsSentAgainInPlaceOfItsTornFile(int percent) throws Exception {
        Envelope envelope = hive.mail().body("Do it, and do it well.\n").seal();
        Path mail = torn(envelope, percent);

        assertThat(transport.send(envelope).copies().getFirst().result())
                .isInstanceOf(SendResult.Delivered.class);
        assertThat(mail).hasBinaryContent(envelope.bytes());
        assertThat(TestHive.states(transport)).containsExactly(State.WAITING, State.DEAD);
        assertThat(inbox.settle(TestHive.take(inbox).token(), new Outcome.Done("")))
                .isEqualTo(TestHive.DONE);
    }

    @Test
    void aReaderCallsAnEmptyFileAnUnfinishedSend() throws Exception {
        torn(hive.mail().seal(), 0);
        hive.clock.advance(Duration.ofMinutes(1));

        TestHive.assertNothing(inbox);
        assertThat(hive.events("rsm_envelope_dead")).hasSize(1);
        assertThat(hive.events("rsm_envelope_dead").getFirst().data().toString())
                .contains("an unfinished send: the file is empty");
    }

    @Test
    void whoeverSaysDuplicateHasForcedThatFile() throws Exception {
        Envelope envelope = hive.mail().seal();
        transport.send(envelope);
        List<Path> forced = new ArrayList<>();
        PassingDisk disk =
                new PassingDisk() {
                    @Override
                    public void force(Path file) throws IOException {
                        forced.add(file);
                        super.force(file);
                    }
                };
        try (FileTransport other = hive.open(disk)) {
            assertThat(other.send(envelope).copies().getFirst().result())
                    .isInstanceOf(SendResult.Duplicate.class);
        }
        assertThat(forced).containsExactly(hive.layout.mail(TestHive.CODE, envelope.id()));
    }

    @Test
    void theFirstAfterABootAddsTheEventsThatThePowerCutTook() throws Exception {
        transport.send(hive.mail().seal());
        Files.write(hive.layout.log(), new byte[0]);
        hive.clock.advance(Duration.ofSeconds(10));

        transport.completeLog(new Boot("the first", Duration.ofSeconds(5)));
        assertThat(hive.events("rsm_envelope_emit")).hasSize(1);

        Files.write(hive.layout.log(), new byte[0]);
        transport.completeLog(new Boot("the first", Duration.ofSeconds(5)));
        assertThat(hive.events("rsm_envelope_emit")).as("once a boot").isEmpty();
        transport.completeLog(new Boot("the second", Duration.ofSeconds(5)));
        assertThat(hive.events("rsm_envelope_emit")).hasSize(1);
    }

    @Test
    void whatHappenedSinceTheBootIsLeftToWhoeverDidIt() throws Exception {
        transport.send(hive.mail().seal());
        Files.write(hive.layout.log(), new byte[0]);

        transport.completeLog(new Boot("the first", Duration.ofHours(1)));
        assertThat(hive.events("rsm_envelope_emit")).isEmpty();
    }

    private Path torn(Envelope envelope, int percent) throws IOException {
        Path mail = hive.layout.mail(TestHive.CODE, envelope.id());
        Files.createDirectories(mail.getParent());
        byte[] bytes = envelope.bytes();
        return Files.write(mail, Arrays.copyOf(bytes, bytes.length * percent / 100));
    }
}
