package dev.pheromone.file.upkeep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.pheromone.Claim;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.file.FileTransport;
import dev.pheromone.file.OneInbox;
import dev.pheromone.file.TestHive;
import dev.pheromone.file.copy.SeenSet;
import dev.pheromone.file.setup.Finding;
import dev.pheromone.file.setup.Finding.Severity;
import dev.pheromone.file.setup.VolumeProbe;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/// What recovery says it would fix is what it fixes, and saying so changes nothing.
class RecoveryLookTest extends OneInbox {

    @Test
    void healthyHiveHasNothingToMend() throws Exception {
        claim();
        hive.clock.advance(Duration.ofSeconds(40));
        assertThat(transport.upkeep().recoverable(Recovery.Extent.ALL)).isEmpty();
    }

    @Test
    void returnOfADeadProcessIsFoundAndLeft() throws Exception {
        Claim claim = claim();
        Path returning = Files.createDirectories(hive.layout.returning(TestHive.CODE));
        Files.move(
                hive.layout.active(TestHive.CODE).resolve(claim.token() + ".md"),
                returning.resolve(claim.token() + ".md"));
        checkLookAndMend("a return that was never completed");
    }

    @Test
    void finishOfADeadProcessIsFoundAndLeft() throws Exception {
        Claim claim = claim();
        assertThat(
                        new SeenSet(new LocalDisk(), hive.layout)
                                .commit(
                                        TestHive.CODE,
                                        claim.envelope().id(),
                                        claim.envelope().hash(),
                                        hive.layout
                                                .active(TestHive.CODE)
                                                .resolve(claim.token() + ".md")))
                .isPresent();
        checkLookAndMend("finished, but not archived");
    }

    @Test
    void staleMarkIsFoundAndLeft() throws Exception {
        claim();
        Files.writeString(
                hive.layout.running(TestHive.CODE).resolve("01JBRM7XCN6E9M6KQGM6K3J3E5"), "stale");
        checkLookAndMend("a mark of work that nobody does");
    }

    @Test
    void missingEventsAreFoundAndLeft() throws Exception {
        hive.write(hive.mail().seal(), "foreign.md");
        checkLookAndMend("1 event missing from the log");
    }

    @Test
    void probesOfAKilledDoctorAreRemoved() throws Exception {
        claim();
        List<Path> left = new ArrayList<>();
        for (String folder : List.of("active", "archive", "seen", "inbox")) {
            Path in = Files.createDirectories(hive.layout.hive().resolve(folder));
            left.add(Files.writeString(in.resolve(VolumeProbe.PREFIX + "1"), "probe\n"));
        }
        Path folder = Files.createDirectory(hive.layout.inboxes().resolve(".probe-2"));
        left.add(Files.writeString(folder.resolve("file"), "probe\n"));

        hive.clock.advance(Duration.ofDays(2));
        assertThat(Checkup.run(new LocalDisk(), hive.layout, hive.clock.instant()))
                .filteredOn(finding -> finding.found().startsWith("left by"))
                .hasSize(5);
        transport.upkeep().recover(Recovery.Extent.ALL);
        assertThat(left).allSatisfy(file -> assertThat(file).doesNotExist());
        assertThat(folder).doesNotExist();
    }

    @Test
    void linesOfZerosInTheLogAreTold() throws Exception {
        claim();
        Files.write(hive.layout.log(), new byte[4096], StandardOpenOption.APPEND);
        Files.writeString(hive.layout.log(), "\n{torn\n", StandardOpenOption.APPEND);

        assertThat(transport.upkeep().recoverable(Recovery.Extent.ALL))
                .extracting(Finding::severity, Finding::thing, Finding::found)
                .containsExactly(
                        tuple(
                                Severity.NOTE,
                                ".deia/telemetry/rse.jsonl",
                                "2 lines that no event can be read from, 1 of them zeros, as a"
                                        + " power cut leaves them; the log is never rewritten"));
    }

    @Test
    void coverageIsWhatTheLogTellsOfWhatTheFilesProve() throws Exception {
        claim();
        hive.write(hive.mail().seal(), "foreign.md");
        hive.clock.advance(Duration.ofMinutes(5));
        // Sent, received and selected; and the foreign file, which nobody told of.
        assertThat(transport.upkeep().coverage(Instant.EPOCH)).isEqualTo(new Coverage(4, 3));
        transport.upkeep().recover(Recovery.Extent.ALL);
        Coverage whole = transport.upkeep().coverage(Instant.EPOCH);
        assertThat(whole.told()).isEqualTo(whole.facts()).isGreaterThanOrEqualTo(4);
    }

    /// A claim by a process that has written all of its events.
    private Claim claim() throws Exception {
        try (FileTransport worker = hive.open()) {
            worker.send(hive.mail().seal());
            return TestHive.take(worker.inbox(TestHive.CODE));
        }
    }

    private void checkLookAndMend(String what) throws Exception {
        hive.clock.advance(Duration.ofMinutes(5));
        Map<String, String> before = state();
        assertThat(transport.upkeep().recoverable(Recovery.Extent.ALL))
                .filteredOn(finding -> finding.severity() == Severity.WARNING)
                .extracting(Finding::found)
                .containsExactly(what);
        assertThat(state()).isEqualTo(before);

        List<Finding> fixed = transport.upkeep().recover(Recovery.Extent.ALL);
        assertThat(fixed).extracting(Finding::found).contains(what);
        assertThat(transport.upkeep().recoverable(Recovery.Extent.ALL)).isEmpty();
    }

    /// Every file of the hive, with its content.
    private Map<String, String> state() throws IOException {
        Map<String, String> state = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(hive.layout.hive())) {
            for (Path path : paths.toList()) {
                state.put(
                        hive.layout.nameOf(path),
                        Files.isRegularFile(path) ? Files.readString(path) : "");
            }
        }
        return state;
    }
}
