package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.file.log.JsonlRseLog;
import dev.pheromone.file.setup.Finding;
import dev.pheromone.file.upkeep.Catalog;
import dev.pheromone.file.upkeep.Recovery;
import dev.pheromone.guard.PolicyGuard;
import dev.pheromone.rse.Cursor;
import dev.pheromone.rse.RseEntry;
import dev.pheromone.rse.RseEvent;

import org.awaitility.Awaitility;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/// What a storm left behind: files, effects and the log.
final class StormRecord {

    private static final Duration SETTLING_MAX = Duration.ofSeconds(30);

    private final StormHive hive;
    private final Set<EnvelopeId> sent = new HashSet<>();
    private final List<String> confirmed = new ArrayList<>();
    private final List<Effect> effects;
    private final List<Catalog.Item> items;
    private final List<RseEntry> log;

    /// A line that a worker wrote when it had done its work.
    private record Effect(String id, String claim, String worker) {
        static Effect parse(String line) {
            String[] parts = line.split(" ", -1);
            assertThat(parts).as(line).hasSize(3);
            return new Effect(parts[0], parts[1], parts[2]);
        }
    }

    private StormRecord(StormHive hive, KillStorm.Size size, List<Catalog.Item> items)
            throws IOException {
        this.hive = hive;
        this.items = items;
        for (int producer = 0; producer < size.processes(); producer++) {
            for (int number = 0; number < size.envelopesEach(); number++) {
                sent.add(StormMail.id(producer, number));
            }
            confirmed.addAll(StormHive.lines(hive.confirmations(Integer.toString(producer))));
        }
        effects = StormHive.lines(hive.effects()).stream().map(Effect::parse).toList();
        try (JsonlRseLog reader = JsonlRseLog.of(hive.layout(), PolicyGuard.open())) {
            log = RseEvents.all(reader, Cursor.START);
        }
    }

    /// The record, once recovery has nothing left to do.
    static StormRecord afterRecovery(StormHive hive, KillStorm.Size size) throws Exception {
        try (FileTransport transport = hive.open(Actor.parse("doctor"))) {
            List<List<Finding>> rounds = new ArrayList<>();
            Awaitility.await("recovery finds nothing")
                    .atMost(SETTLING_MAX)
                    // What is younger is left alone.
                    .pollDelay(Duration.ofMillis(400))
                    .pollInterval(Duration.ofMillis(400))
                    .until(() -> {
                        rounds.add(transport.upkeep().recover(Recovery.Extent.ALL));
                        return rounds.getLast().isEmpty();
                    });
            return new StormRecord(hive, size, transport.catalog().all(StormHive.CODE));
        }
    }

    String figures() {
        return "%d claims taken back, %d effects twice, %d sent twice, %d copies archived as duplicates, %d of %d events added by recovery"
                .formatted(
                        events("rsm_envelope_return").count(),
                        effects.size() - effects.stream().map(Effect::id).distinct().count(),
                        confirmed.stream().filter(line -> line.endsWith(" Duplicate")).count(),
                        items.stream().filter(item -> item.state() == State.DUPLICATE).count(),
                        events().filter(StormRecord::isRecovered).count(),
                        log.size());
    }

    private static boolean isRecovered(RseEvent event) {
        return event.data().toString().contains("\"recovered\":true");
    }

    /// Each envelope was confirmed to its producer, was done, and is archived once as done; the
    /// only other copies are duplicates.
    void checkNothingIsLost() {
        List<String> ids = sent.stream().map(EnvelopeId::text).sorted().toList();
        assertThat(confirmed.stream().map(line -> line.substring(0, line.indexOf(' '))).sorted())
                .as("confirmed")
                .containsExactlyElementsOf(ids);
        assertThat(archived(State.DONE)).as("done").containsExactlyElementsOf(ids);
        assertThat(items)
                .extracting(Catalog.Item::state)
                .containsOnly(
                        archived(State.DUPLICATE).isEmpty()
                                ? new State[] {State.DONE}
                                : new State[] {State.DONE, State.DUPLICATE});
    }

    private List<String> archived(State state) {
        return items.stream()
                .filter(item -> item.state() == state)
                .map(item -> String.valueOf(item.id()))
                .sorted()
                .toList();
    }

    /// Whoever did a piece of work that was done again had died on it: that was the last it did.
    void checkEffects(Set<String> killedWorkers) {
        Map<String, Effect> lastOfEnvelope = new HashMap<>();
        Map<String, Effect> lastOfWorker = new HashMap<>();
        for (Effect effect : effects) {
            lastOfEnvelope.put(effect.id(), effect);
            lastOfWorker.put(effect.worker(), effect);
        }
        assertThat(lastOfEnvelope.keySet())
                .as("envelopes with an effect")
                .isEqualTo(new HashSet<>(sent.stream().map(EnvelopeId::text).toList()));
        for (Effect effect : effects) {
            if (!effect.equals(lastOfEnvelope.get(effect.id()))) {
                assertThat(killedWorkers).as("%s was done again", effect).contains(effect.worker());
                assertThat(lastOfWorker.get(effect.worker())).isEqualTo(effect);
            }
        }
    }

    void checkNothingIsLeftOver() throws IOException {
        for (String folder : List.of("inbox", "active", "state/.attendants")) {
            try (Stream<Path> paths = Files.walk(hive.layout().hive().resolve(folder))) {
                assertThat(
                                paths.filter(path -> !Files.isDirectory(path))
                                        .filter(path -> !path.endsWith(".index/headers")))
                        .as(folder)
                        .isEmpty();
            }
        }
        try (Stream<Path> paths = Files.walk(hive.layout().seen(StormHive.CODE))) {
            assertThat(paths.filter(Files::isRegularFile)).as("seen").hasSize(sent.size());
        }
    }

    /// Every line of the log can be read, and the life of every envelope is told in it.
    void checkEvents() {
        assertThat(log)
                .filteredOn(entry -> !(entry instanceof RseEntry.Read))
                .as("bad lines")
                .isEmpty();
        for (String type :
                List.of("rsm_envelope_emit", "rsm_envelope_recv", "queen_select", "worker_ack")) {
            Set<String> untold = new TreeSet<>();
            sent.forEach(id -> untold.add(id.text()));
            events(type)
                    .forEach(event ->
                            untold.remove(
                                    event.data()
                                            .optionalText("id")
                                            .or(() -> event.data().optionalText("ref"))
                                            .orElse("")));
            assertThat(untold).as("without %s", type).isEmpty();
        }
        assertThat(events("rsm_envelope_dead", "rsm_envelope_conflict", "pheromone_expire"))
                .isEmpty();
    }

    private Stream<RseEvent> events(String... types) {
        return events().filter(
                        event -> types.length == 0 || Arrays.asList(types).contains(event.type()));
    }

    private Stream<RseEvent> events() {
        return log.stream()
                .filter(RseEntry.Read.class::isInstance)
                .map(entry -> ((RseEntry.Read) entry).event());
    }
}
