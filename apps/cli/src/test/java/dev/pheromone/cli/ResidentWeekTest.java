package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pheromone.cli.resident.ResidentAddress;
import dev.pheromone.disk.HiveLayout;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// As many requests as a week brings, to one resident process: its memory stays flat, and no thread
/// and no descriptor is left behind. The long form makes 100,000 of them.
@Timeout(value = 60, unit = TimeUnit.MINUTES)
final class ResidentWeekTest {

    private static final int REQUESTS = Boolean.getBoolean("rsm.long") ? 100_000 : 2_000;
    private static final int CLIENTS = 4;

    /// The first part of the week, in which classes are loaded and code is compiled.
    private static final double WARM = Boolean.getBoolean("rsm.long") ? 0.2 : 0.5;

    /// What may be added afterwards: the collector leaves garbage up to what it decides to keep.
    private static final long GROWTH_KIB_MAX = 24 * 1024;

    /// Whatever happens, a resident takes less than this.
    private static final long RESIDENT_KIB_MAX = 260 * 1024;

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final String NO_LIMITS =
            """
            backpressure: {depth: 1000000, oldest_age: 30d}
            sender: {waiting: 1000000, rate: 1000000/m, p0: 1000000/m}
            """;

    @TempDir Path folder;

    private Session session;
    private ResidentAddress address;

    /// What a process takes of the machine.
    private record Taken(long residentKib, long threads, long descriptors) {

        static Taken of(Process process) throws IOException {
            Path proc = Path.of("/proc/" + process.pid());
            long resident = 0;
            long threads = 0;
            for (String line : Files.readAllLines(proc.resolve("status"))) {
                String[] parts = line.split("\\s+", 3);
                switch (parts[0]) {
                    case "VmRSS:" -> resident = Long.parseLong(parts[1]);
                    case "Threads:" -> threads = Long.parseLong(parts[1]);
                    default -> {}
                }
            }
            try (Stream<Path> open = Files.list(proc.resolve("fd"))) {
                return new Taken(resident, threads, open.count());
            }
        }
    }

    @Test
    void memoryIsFlatAndNothingIsLeftBehind() throws Exception {
        if (!Files.isReadable(Path.of("/proc/self/status"))) {
            throw OtherVersion.notRun("ResidentWeekTest", "this system does not tell of processes");
        }
        Path root = Files.createDirectory(folder.toRealPath().resolve("repo"));
        session = new Session(root);
        session.env.put("RSM_ACTOR", "builder");
        try (ResidentClient client = new ResidentClient(folder.toRealPath().resolve("bin"))) {
            client.useIn(session);
            assertThat(session.rsm("init").exit()).isZero();
            HiveLayout layout = new HiveLayout(root);
            Files.writeString(layout.configuration(), NO_LIMITS);
            Process up = client.startUp(session, layout);
            try {
                address = ResidentAddress.of(layout, session.surroundings()).getFirst();
                Taken begin = Taken.of(up);
                requests((int) (REQUESTS * WARM));
                Taken warm = atRest(up);
                requests(REQUESTS - (int) (REQUESTS * WARM));
                Taken end = atRest(up);
                System.out.printf(
                        "%d requests to one resident: %s at first, %s warm, %s at the end%n",
                        REQUESTS, begin, warm, end);
                assertThat(end.threads()).isLessThanOrEqualTo(warm.threads() + 1);
                assertThat(end.descriptors()).isLessThanOrEqualTo(warm.descriptors() + 1);
                assertThat(end.residentKib() - warm.residentKib()).isLessThan(GROWTH_KIB_MAX);
                assertThat(end.residentKib()).isLessThan(RESIDENT_KIB_MAX);
            } finally {
                up.destroyForcibly().waitFor();
            }
        }
    }

    /// Clients are gone a moment before the threads are that answered them.
    private static Taken atRest(Process up) throws IOException {
        Taken[] last = {Taken.of(up)};
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(500))
                .until(() -> {
                    Taken now = Taken.of(up);
                    boolean rests =
                            now.threads() == last[0].threads()
                                    && now.descriptors() == last[0].descriptors();
                    last[0] = now;
                    return rests;
                });
        return last[0];
    }

    private void requests(int count) throws Exception {
        try (ExecutorService clients = Executors.newFixedThreadPool(CLIENTS)) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                all.add(
                        clients.submit(() -> {
                            // Each turn of the day has five requests.
                            for (int turn = 0; turn < count / CLIENTS / 5; turn++) {
                                turn();
                            }
                            return null;
                        }));
            }
            for (Future<?> each : all) {
                each.get();
            }
        }
    }

    private void turn() throws IOException {
        assertThat(ask("check", "README.md").exit()).isZero();
        assertThat(ask("send", "--to", "code", "please look").exit()).isZero();
        Session.Result taken = ask("select", "code", "--quiet");
        assertThat(taken.exit()).as(taken.err()).isIn(0, 4);
        if (taken.exit() == 0) {
            assertThat(ask("ack", taken.out().strip(), "done").exit()).isZero();
        }
        assertThat(ask("inbox", "code", "--limit", "1").exit()).isZero();
    }

    private Session.Result ask(String... words) throws IOException {
        return RawClient.run(address, session, List.of(words));
    }
}
