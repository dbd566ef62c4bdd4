package dev.pheromone.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.SendResult;
import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.disk.ChildJvm;
import dev.pheromone.disk.LocalDisk;
import dev.pheromone.file.copy.ClaimName;
import dev.pheromone.file.log.JsonlRseLog;
import dev.pheromone.file.upkeep.Catalog;
import dev.pheromone.rse.Cursor;
import dev.pheromone.rse.RseEntry;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/// Eight processes on one inbox, which take all that waits, while a ninth still sends: some watch
/// the folder and some list it, some keep what they have and some are done with it at once.
@Timeout(value = 15, unit = TimeUnit.MINUTES)
final class EightProcessesTest {

    private static final int PROCESSES = 8;
    private static final int ENVELOPES = Boolean.getBoolean("rsm.long") ? 6_000 : 500;

    /// The rest is sent while they take it.
    private static final int WAITING_FIRST = ENVELOPES / 2;

    private static final Duration TAKING_MAX = Duration.ofMinutes(10);

    @TempDir Path folder;

    /// A process, and the lines that it says.
    private record Claimer(Process process, BufferedReader says) {

        static Claimer start(StormHive hive, int number) throws IOException {
            Process process =
                    ChildJvm.plain()
                            .of(
                                    ClaimerMain.class,
                                    hive.root().toString(),
                                    "claimer-" + number,
                                    number == 0 ? "lists" : "watches",
                                    number % 4 == 0 ? "keeps" : "acks")
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start();
            return new Claimer(process, process.inputReader());
        }

        void signal() throws IOException {
            process.getOutputStream().write('.');
            process.getOutputStream().flush();
        }
    }

    @Test
    void eachEnvelopeIsClaimedByExactlyOne() throws Exception {
        StormHive hive = StormHive.create(folder);
        List<Claimer> claimers = new ArrayList<>();
        for (int i = 0; i < PROCESSES; i++) {
            claimers.add(Claimer.start(hive, i));
        }
        long start = System.nanoTime();
        List<String> claims = new ArrayList<>();
        try (FileTransport transport = hive.open(Actor.parse("sender"));
                ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor()) {
            send(transport, 0, WAITING_FIRST);
            List<Future<List<String>>> said = new ArrayList<>();
            for (Claimer claimer : claimers) {
                assertThat(claimer.says().readLine()).isEqualTo("ready");
                said.add(readers.submit(() -> claimer.says().lines().toList()));
            }
            start = System.nanoTime();
            for (Claimer claimer : claimers) {
                claimer.signal();
            }
            send(transport, WAITING_FIRST, ENVELOPES);
            Awaitility.await("all taken")
                    .atMost(TAKING_MAX)
                    .until(() -> transport.inbox(StormHive.CODE).waiting().isEmpty());
            for (Claimer claimer : claimers) {
                claimer.signal();
            }
            for (Future<List<String>> lines : said) {
                claims.addAll(lines.get());
            }
            for (Claimer claimer : claimers) {
                assertThat(claimer.process().waitFor()).isZero();
            }
            assertThat(transport.catalog().all(StormHive.CODE))
                    .hasSize(ENVELOPES)
                    .extracting(Catalog.Item::state)
                    .containsOnly(State.DONE);
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        Set<String> workers = new HashSet<>();
        Set<String> ids = new HashSet<>();
        for (String claim : claims) {
            ClaimName name = ClaimName.parse(claim).orElseThrow();
            assertThat(ids.add(name.id().text())).as("%s is the only claim", claim).isTrue();
            workers.add(name.worker().name());
        }
        System.out.println(
                "eight processes: %d envelopes, taken by %d processes in %d ms"
                        .formatted(ids.size(), workers.size(), millis));
        assertThat(ids).hasSize(ENVELOPES);
        assertThat(workers).as("processes that got something").hasSizeGreaterThan(1);
        checkLog(hive);
    }

    private static void send(FileTransport transport, int from, int to) throws Exception {
        for (int number = from; number < to; number++) {
            assertThat(
                            transport
                                    .send(StormMail.of(0, number, Instant.now()))
                                    .copies()
                                    .getFirst()
                                    .result())
                    .isInstanceOf(SendResult.Delivered.class);
        }
    }

    /// Each envelope was selected once, and that is told once.
    private static void checkLog(StormHive hive) throws IOException {
        int selections = 0;
        try (JsonlRseLog log = new JsonlRseLog(new LocalDisk(), hive.layout().log())) {
            for (RseEntry entry : RseEvents.all(log, Cursor.START)) {
                assertThat(entry).isInstanceOf(RseEntry.Read.class);
                if (((RseEntry.Read) entry).event().type().equals("queen_select")) {
                    selections++;
                }
            }
        }
        assertThat(selections).isEqualTo(ENVELOPES);
    }
}
