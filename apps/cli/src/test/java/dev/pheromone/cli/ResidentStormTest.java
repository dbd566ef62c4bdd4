package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.disk.HiveLayout;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/// The hive is locked and unlocked again and again while clients of a resident process send, take
/// and finish mail. From the return of the lock until it is lifted no file of the hive changes, in
/// whatever step of a command the lock came; nothing is lost, and nothing done twice.
@Timeout(value = 15, unit = TimeUnit.MINUTES)
final class ResidentStormTest {

    private static final int CYCLES = Boolean.getBoolean("rsm.long") ? 300 : 12;
    private static final int CLIENTS = 6;

    /// How often the files are looked at under each lock.
    private static final int LOOKS = 4;

    private static final String NO_LIMITS =
            """
            backpressure: {depth: 1000000, oldest_age: 30d}
            sender: {waiting: 1000000, rate: 1000000/m, p0: 1000000/m}
            """;

    private final AtomicInteger number = new AtomicInteger();
    private final AtomicInteger kept = new AtomicInteger();
    private final AtomicInteger keptEnds = new AtomicInteger();

    /// The ids of what was sent or kept.
    private final Set<String> sent = ConcurrentHashMap.newKeySet();

    private final Set<String> done = ConcurrentHashMap.newKeySet();

    private volatile boolean isOver;

    @TempDir Path folder;

    private ResidentClient client;
    private Session session;

    @Test
    void betweenLockAndUnlockNoFileChangesAndNothingIsLost() throws Exception {
        Path root = Files.createDirectory(folder.toRealPath().resolve("repo"));
        session = new Session(root);
        session.env.put("RSM_ACTOR", "builder");
        try (ResidentClient own = new ResidentClient(folder.toRealPath().resolve("bin"))) {
            client = own;
            client.useIn(session);
            assertThat(session.rsm("init").exit()).isZero();
            HiveLayout layout = new HiveLayout(root);
            Files.writeString(layout.configuration(), NO_LIMITS);
            Process up = client.startUp(session, layout);
            try {
                storm(layout);
                assertThat(up.isAlive()).isTrue();
            } finally {
                up.destroyForcibly().waitFor();
            }
            end();
        }
    }

    private void storm(HiveLayout layout) throws Exception {
        CountDownLatch atWork = new CountDownLatch(CLIENTS);
        try (ExecutorService agents = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                all.add(
                        agents.submit(() -> {
                            while (!isOver) {
                                send();
                                work();
                                atWork.countDown();
                            }
                            return null;
                        }));
            }
            assertThat(atWork.await(1, TimeUnit.MINUTES)).isTrue();
            // The locker has a clock of its own, as a process of its own would.
            Session locker = new Session(session.cwd);
            locker.env.put("RSM_ACTOR", "you");
            try {
                for (int cycle = 0; cycle < CYCLES; cycle++) {
                    assertThat(locker.rsm("lock", "hive", "--reason", "storm").exit()).isZero();
                    Map<String, String> frozen = files(layout);
                    for (int look = 0; look < LOOKS; look++) {
                        assertThat(files(layout)).as("cycle %d", cycle).isEqualTo(frozen);
                    }
                    assertThat(locker.rsm("unlock", "hive", "--by", "you").exit()).isZero();
                }
            } finally {
                isOver = true;
            }
            for (Future<?> agent : all) {
                agent.get();
            }
        }
    }

    private void send() throws Exception {
        Session.Result result =
                run("send", "--to", "code", "--json", "mail " + number.incrementAndGet());
        assertThat(result.exit()).as(result.out() + result.err()).isIn(0, 3);
        sent.add(AnswerSchemas.field(result.out(), "id"));
        kept.addAndGet(result.exit() == 3 ? 1 : 0);
    }

    private void work() throws Exception {
        Session.Result taken = run("select", "code", "--lease", "1d", "--quiet");
        assertThat(taken.exit()).as(taken.err()).isIn(0, 3, 4);
        if (taken.exit() == 0) {
            String claim = taken.out().strip();
            Session.Result acked = run("ack", claim, "done");
            assertThat(acked.exit()).as(acked.out() + acked.err()).isIn(0, 3);
            keptEnds.addAndGet(acked.exit() == 3 ? 1 : 0);
            assertThat(done.add(idOf(claim))).as(claim).isTrue();
        }
    }

    private static String idOf(String claim) {
        return claim.substring(0, claim.indexOf('.'));
    }

    private Session.Result run(String... words) throws Exception {
        Session.Result result = client.run(session, List.of(words), "");
        assertThat(result.exit()).as("answered by the resident").isNotEqualTo(ResidentClient.COLD);
        return result;
    }

    /// Every name in the hive, which file has it, and when that was changed.
    private static Map<String, String> files(HiveLayout layout) throws IOException {
        Map<String, String> files = new TreeMap<>();
        try (Stream<Path> all = Files.walk(layout.hive())) {
            for (Path file : all.toList()) {
                try {
                    files.put(
                            file.toString(),
                            Files.readAttributes(
                                            file,
                                            "unix:ino,size,ctime,lastModifiedTime",
                                            LinkOption.NOFOLLOW_LINKS)
                                    .toString());
                } catch (NoSuchFileException e) {
                    files.put(file.toString(), "gone while it was looked at");
                }
            }
        }
        return files;
    }

    /// Delivers what was kept and finishes all that is left: every envelope is done, once.
    private void end() {
        session.later(Duration.ofSeconds(1));
        assertThat(session.rsm("embargo", "release", "--yes", "--by", "you").exit()).isZero();
        while (true) {
            Session.Result taken = session.rsm("select", "code", "--quiet");
            if (taken.exit() == 4) {
                break;
            }
            assertThat(taken.exit()).as(taken.err()).isZero();
            String claim = taken.out().strip();
            assertThat(session.rsm("ack", claim, "done").exit()).isZero();
            assertThat(done.add(idOf(claim))).as(claim).isTrue();
        }
        System.out.printf(
                "lock storm with clients of a resident: %d locks; %d sent, %d of them kept, %d ends"
                        + " kept%n",
                CYCLES, sent.size(), kept.get(), keptEnds.get());
        assertThat(kept).hasPositiveValue();
        assertThat(done).containsExactlyInAnyOrderElementsOf(sent);
        assertThat(session.rsm("audit").exit()).isZero();
    }
}
