package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.Outcome;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.config.Secrets;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Priority;
import dev.pheromone.file.FileTransport;
import dev.pheromone.file.setup.HiveRoot;
import dev.pheromone.file.setup.HiveSetup;
import dev.pheromone.hive.Hive;
import dev.pheromone.hive.HiveOptions;
import dev.pheromone.hive.HiveOptions.Mode;
import dev.pheromone.hive.Progress;
import dev.pheromone.lock.LockFiles;
import dev.pheromone.rse.Cursor;
import dev.pheromone.rse.RseEntry;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseReading;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The specification's inbox cycle: N envelopes are sent, sensed, selected and acknowledged, in
/// order, and the log has the figures to prove it.
@Timeout(120)
class InboxCycleTest {

    private static final int COUNT = 40;

    /// Every pick of this number is the due turn, and does not go by class.
    private static final int DUE_TURN = 4;

    private static final Domain CODE = Domain.parse("code");
    private static final Actor WORKER = Actor.parse("builder");

    @TempDir Path folder;
    private FileTransport transport;

    @BeforeEach
    void open() throws Exception {
        HiveSetup.init(folder, Address.parse("user://you"), HiveSetup.OnUnfitVolume.ACCEPT);
        HiveLayout layout = HiveRoot.at(folder);
        transport =
                FileTransport.open(
                        layout,
                        new LockFiles(layout),
                        WORKER,
                        InstantSource.system(),
                        Secrets.none());
    }

    @AfterEach
    void close() throws Exception {
        transport.close();
    }

    private List<Envelope> sendAll() throws Exception {
        Instant start = Instant.now();
        List<Envelope> sent = new ArrayList<>();
        for (int i = 0; i < COUNT; i++) {
            Envelope envelope =
                    Envelope.draft(
                                    Actor.parse("ada" + i),
                                    List.of(CODE.address()),
                                    Lane.CODE,
                                    "mail " + i)
                            .ts(start.plusMillis(i))
                            .priority(Priority.values()[i * 7 % Priority.values().length])
                            .body("Please do " + i + ".\n")
                            .seal();
            transport.send(envelope);
            sent.add(envelope);
        }
        return sent;
    }

    private List<RseEvent> log() throws Exception {
        List<RseEvent> events = new ArrayList<>();
        try (RseReading reading = transport.log().read(Cursor.START)) {
            for (Optional<RseEntry> entry = reading.next();
                    entry.isPresent();
                    entry = reading.next()) {
                assertThat(entry.get()).isInstanceOf(RseEntry.Read.class);
                events.add(((RseEntry.Read) entry.get()).event());
            }
        }
        return events;
    }

    /// The id of the envelope that an event is about.
    private static String about(RseEvent event) {
        return event.data()
                .optionalText("id")
                .or(() -> event.data().optionalText("ref"))
                .orElse("");
    }

    @Test
    void everyEnvelopeIsSensedSelectedAndAcknowledgedInThisOrder() throws Exception {
        List<Envelope> sent = sendAll();

        Progress progress =
                new Hive(
                                transport.inbox(CODE),
                                WORKER,
                                claim -> new Outcome.Done("did " + claim.envelope().topic()),
                                HiveOptions.defaults().withMode(Mode.DRAIN),
                                InstantSource.system(),
                                report -> {})
                        .run();

        assertThat(progress.done()).isEqualTo(COUNT);
        assertThat(transport.inbox(CODE).waiting()).isEmpty();
        Map<String, List<RseEvent>> lives = new HashMap<>();
        for (RseEvent event : log()) {
            lives.computeIfAbsent(about(event), _ -> new ArrayList<>()).add(event);
        }
        List<Duration> latencies = new ArrayList<>();
        for (Envelope envelope : sent) {
            List<RseEvent> life = lives.get(envelope.id().text());
            assertThat(life)
                    .extracting(RseEvent::type)
                    .containsExactly(
                            "pheromone_drop",
                            "rsm_envelope_emit",
                            "pheromone_sense",
                            "rsm_envelope_recv",
                            "queen_select",
                            "worker_spawn",
                            "worker_ack");
            assertThat(life).isSortedAccordingTo(Comparator.comparing(RseEvent::ts));
            assertThat(life.getLast().data().text("notes")).isEqualTo("did " + envelope.topic());
            latencies.add(Duration.between(life.get(1).ts(), life.getLast().ts()));
        }
        latencies.sort(Comparator.naturalOrder());
        assertThat(latencies.get(COUNT / 2)).isLessThan(Duration.ofMinutes(2));
        assertThat(latencies.get(COUNT * 95 / 100)).isLessThan(Duration.ofMinutes(10));
    }

    @Test
    void theyAreSelectedByClassThenAgeButForTheDueTurns() throws Exception {
        Map<EnvelopeId, Envelope> sent = new HashMap<>();
        sendAll().forEach(envelope -> sent.put(envelope.id(), envelope));

        new Hive(
                        transport.inbox(CODE),
                        WORKER,
                        claim -> new Outcome.Done(""),
                        HiveOptions.defaults().withMode(Mode.DRAIN),
                        InstantSource.system(),
                        report -> {})
                .run();

        List<Envelope> byClass = new ArrayList<>();
        int pick = 0;
        for (RseEvent event : log()) {
            if (event instanceof RseEvent.QueenSelect select) {
                pick++;
                assertThat(select.data().text("rationale")).contains("effective P");
                if (pick % DUE_TURN != 0) {
                    byClass.add(sent.get(EnvelopeId.parse(about(select))));
                }
            }
        }
        assertThat(pick).isEqualTo(COUNT);
        assertThat(byClass)
                .isSortedAccordingTo(
                        Comparator.comparing(Envelope::priority).thenComparing(Envelope::ts));
    }
}
