package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Inbox;
import dev.pheromone.Outcome;
import dev.pheromone.SendResult;
import dev.pheromone.State;
import dev.pheromone.disk.Boot;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.disk.NotRun;
import dev.pheromone.disk.PassingDisk;
import dev.pheromone.envelope.Envelope;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
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

    /// Lines that a log has after the mail was sent, each some 150 bytes.
    private String lines(int bytes) {
        Instant sent = hive.clock.instant();
        StringBuilder lines = new StringBuilder();
        for (int i = 0; lines.length() < bytes; i++) {
            Instant ts = sent.plusMillis(i % 9_000);
            lines.append(line(i % 10 == 9 ? ts.minusSeconds(3_600) : ts));
        }
        return lines.toString();
    }

    private static String line(Instant ts) {
        return "{\"ts\":\""
                + ts
                + "\",\"type\":\"note\",\"lane\":\"Code\",\"actor\":\"x\",\"data\":{\"t\":\""
                + "y".repeat(80)
                + "\"}}\n";
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 100_000, 17 * 1024 * 1024})
    void noEventIsAddedTwiceWhateverTheOrderOfLines(int bytes) throws Exception {
        for (int i = 0; i < 5; i++) {
            transport.send(hive.mail().seal());
        }
        Files.writeString(hive.layout.log(), lines(bytes), StandardOpenOption.APPEND);
        // As a doctor adds what happened earlier.
        Instant early = hive.clock.instant().minusSeconds(7_200);
        Files.writeString(hive.layout.log(), line(early), StandardOpenOption.APPEND);
        hive.clock.advance(Duration.ofSeconds(20));

        transport.completeLog(new Boot("one", Duration.ofSeconds(5)));
        assertThat(hive.events("rsm_envelope_emit")).hasSize(5);
    }

    @Test
    void aLineFromTheFutureHidesNoEventThatIsMissing() throws Exception {
        Instant sent = hive.clock.instant();
        for (int i = 0; i < 5; i++) {
            transport.send(hive.mail().seal());
        }
        Files.writeString(hive.layout.log(), line(sent) + line(sent.plusSeconds(3_600)));
        hive.clock.advance(Duration.ofSeconds(20));

        transport.completeLog(new Boot("one", Duration.ofSeconds(5)));
        assertThat(hive.events("rsm_envelope_emit")).hasSize(5);
    }

    @Test
    void whatTheDiskFailedToWriteOnceIsNotCalledADuplicate() throws Exception {
        Envelope envelope = hive.mail().seal();
        PassingDisk failing =
                new PassingDisk() {
                    @Override
                    public Handle openDraft(Path file, byte[] content) throws IOException {
                        Handle handle = super.openDraft(file, content);
                        return new Handle() {
                            @Override
                            public void force() throws IOException {
                                throw new IOException("Input/output error");
                            }

                            @Override
                            public void close() throws IOException {
                                handle.close();
                            }
                        };
                    }
                };
        try (FileTransport first = hive.open(failing)) {
            assertThat(first.send(envelope).copies().getFirst().result())
                    .isInstanceOf(SendResult.Unconfirmed.class);
            assertThat(first.send(envelope).copies().getFirst().result())
                    .isInstanceOf(SendResult.Unconfirmed.class);
        }
        // The kernel told of the error once, and forcing the file again goes well.
        assertThat(transport.send(envelope).copies().getFirst().result())
                .isInstanceOf(SendResult.Unconfirmed.class);
        Envelope other = hive.mail().seal();
        transport.send(other);
        assertThat(transport.send(other).copies().getFirst().result())
                .isInstanceOf(SendResult.Duplicate.class);
    }

    @Test
    void workThatIsDoneForcesOneFileAndNeitherItsEventNorItsHistory() throws Exception {
        transport.send(hive.mail().seal());
        List<String> forces = new ArrayList<>();
        PassingDisk disk =
                new PassingDisk() {
                    @Override
                    public Handle open(Path file) throws IOException {
                        Handle handle = super.open(file);
                        return new Handle() {
                            @Override
                            public void force() throws IOException {
                                forces.add("file");
                                handle.force();
                            }

                            @Override
                            public void close() throws IOException {
                                handle.close();
                            }
                        };
                    }

                    @Override
                    public void force(Path file) throws IOException {
                        forces.add(file.toString());
                        super.force(file);
                    }

                    @Override
                    public void sync(Path folder) throws IOException {
                        forces.add(folder.toString());
                        super.sync(folder);
                    }

                    // As on a disk where a forced file brings its names.
                    @Override
                    public void syncNamesOfForced(Path folder) {}
                };
        try (FileTransport worker = hive.open(disk)) {
            Inbox inbox = worker.inbox(TestHive.CODE);
            String token = TestHive.take(inbox).token();
            forces.clear();
            inbox.settle(token, new Outcome.Done("well"));
            assertThat(forces).containsExactly("file");
        }
    }

    @Test
    void workThatIsDoneIsToldAfterABootThoughItsHistoryIsLost() throws Exception {
        transport.send(hive.mail().seal());
        inbox.settle(TestHive.take(inbox).token(), new Outcome.Done("well"));
        Files.write(hive.layout.log(), new byte[0]);
        List<String> histories = hive.filesIn("status");
        assertThat(histories).isNotEmpty();
        for (String history : histories) {
            Files.delete(hive.layout.root().resolve(history));
        }
        hive.clock.advance(Duration.ofSeconds(10));

        transport.completeLog(new Boot("the first", Duration.ofSeconds(5)));
        assertThat(hive.events("worker_ack")).hasSize(1);
        transport.completeLog(new Boot("the second", Duration.ofSeconds(5)));
        assertThat(hive.events("worker_ack")).as("known by now").hasSize(1);
    }

    @Test
    void whatHappenedSinceTheBootIsLeftToWhoeverDidIt() throws Exception {
        transport.send(hive.mail().seal());
        Files.write(hive.layout.log(), new byte[0]);

        transport.completeLog(new Boot("the first", Duration.ofHours(1)));
        assertThat(hive.events("rsm_envelope_emit")).isEmpty();
    }

    @Test
    void linesThatOthersWroteSinceTheBootHideNothing() throws Exception {
        Envelope untold = hive.mail().seal();
        transport.send(untold);
        List<String> lines = Files.readAllLines(hive.layout.log());
        Files.write(hive.layout.log(), lines.subList(0, 1));
        hive.clock.advance(Duration.ofMinutes(10));
        // As the adapters do, which leave it to rsm to look for what is missing.
        Envelope later = hive.mail().seal();
        transport.send(later);

        transport.completeLog(new Boot("the first", Duration.ofMinutes(9)));
        assertThat(hive.events("rsm_envelope_emit"))
                .extracting(event -> event.data().optionalText("id").orElse(""))
                .containsExactlyInAnyOrder(untold.id().text(), later.id().text());
    }

    @Test
    void aProgramThatOpensTheHiveHasItsLogCompletedToo() throws Exception {
        if (Boot.last(new LocalDisk()).isEmpty()) {
            throw NotRun.because("TornMailTest", "this system does not tell its last start");
        }
        transport.send(hive.mail().seal());
        Files.write(hive.layout.log(), new byte[0]);
        // Of a machine that was started after that.
        hive.clock.advance(Duration.ofDays(10_000));
        try (FileTransport _ = hive.openReally()) {
            assertThat(hive.events("rsm_envelope_emit")).hasSize(1);
        }
    }

    private Path torn(Envelope envelope, int percent) throws IOException {
        Path mail = hive.layout.mail(TestHive.CODE, envelope.id());
        Files.createDirectories(mail.getParent());
        byte[] bytes = envelope.bytes();
        return Files.write(mail, Arrays.copyOf(bytes, bytes.length * percent / 100));
    }
}
