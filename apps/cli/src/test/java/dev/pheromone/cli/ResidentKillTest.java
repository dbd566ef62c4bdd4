package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.disk.HiveLayout;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// A resident process that is killed, again and again, while clients send, take and finish mail and
/// ask the hook. What a client was told is true, and nothing is done twice.
@Timeout(value = 15, unit = TimeUnit.MINUTES)
final class ResidentKillTest {

    private static final int ROUNDS = Boolean.getBoolean("rsm.long") ? 60 : 4;
    private static final int SENDERS = 4;
    private static final int WORKERS = 2;
    private static final int LIFE_MILLIS_MAX = 600;

    private static final Pattern REF = Pattern.compile("\"ref\":\"([0-9A-Z]{26})\"");

    private static final String NO_LIMITS =
            """
            backpressure: {depth: 1000000, oldest_age: 30d}
            sender: {waiting: 1000000, rate: 1000000/m, p0: 1000000/m}
            """;

    private static final String TOOL_CALL =
            "{\"session_id\":\"1\",\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Read\","
                    + "\"tool_input\":{\"file_path\":\"README.md\"}}";

    private final AtomicInteger bodies = new AtomicInteger();

    /// How each send ended, by its body.
    private final Map<String, Integer> sends = new ConcurrentHashMap<>();

    private final Set<String> done = ConcurrentHashMap.newKeySet();
    private final AtomicInteger doneTwice = new AtomicInteger();
    private final AtomicInteger answered = new AtomicInteger();
    private final AtomicInteger unknown = new AtomicInteger();

    @TempDir Path folder;

    private ResidentClient client;
    private Session session;

    @Test
    void whatClientsWereToldIsTrueAndNothingIsDoneTwice() throws Exception {
        long seed = Long.getLong("rsm.seed", System.nanoTime());
        Random random = new Random(seed);
        Path root = Files.createDirectory(folder.toRealPath().resolve("repo"));
        session = new Session(root);
        session.env.put("RSM_ACTOR", "builder");
        try (ResidentClient own = new ResidentClient(folder.toRealPath().resolve("bin"))) {
            client = own;
            client.useIn(session);
            assertThat(session.rsm("init").exit()).isZero();
            HiveLayout layout = new HiveLayout(root);
            Files.writeString(layout.configuration(), NO_LIMITS);
            for (int round = 0; round < ROUNDS; round++) {
                round(layout, random.nextInt(LIFE_MILLIS_MAX));
            }
            check(layout, seed);
        }
    }

    private void round(HiveLayout layout, int millis) throws Exception {
        Process up = client.startUp(session, layout);
        CountDownLatch atWork = new CountDownLatch(SENDERS + WORKERS + 1);
        try (ExecutorService agents = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < SENDERS; i++) {
                all.add(agents.submit(() -> untilItIsGone(up, atWork, this::send)));
            }
            for (int i = 0; i < WORKERS; i++) {
                all.add(agents.submit(() -> untilItIsGone(up, atWork, this::work)));
            }
            all.add(agents.submit(() -> untilItIsGone(up, atWork, this::ask)));
            assertThat(atWork.await(1, TimeUnit.MINUTES)).isTrue();
            boolean _ = up.waitFor(millis, TimeUnit.MILLISECONDS);
            up.destroyForcibly().waitFor();
            for (Future<?> agent : all) {
                agent.get();
            }
        }
    }

    private interface Deed {
        /// Returns whether the resident answered, or at least began.
        boolean isDone() throws Exception;
    }

    private Void untilItIsGone(Process up, CountDownLatch atWork, Deed deed) throws Exception {
        do {
            if (deed.isDone()) {
                answered.incrementAndGet();
            }
            atWork.countDown();
        } while (up.isAlive());
        return null;
    }

    private boolean send() throws Exception {
        String body = "body-" + bodies.incrementAndGet() + "-";
        int exit = told(run("send", "--to", "code", body));
        sends.put(body, exit);
        return exit != ResidentClient.COLD;
    }

    private boolean work() throws Exception {
        Session.Result taken = run("select", "code", "--lease", "1d", "--quiet");
        if (taken.exit() != 0) {
            int exit = taken.exit() == 4 ? 4 : told(taken);
            return exit != ResidentClient.COLD;
        }
        String claim = taken.out().strip();
        Session.Result acked = run("ack", claim, "done");
        if (told(acked) == 0 && !done.add(claim.substring(0, claim.indexOf('.')))) {
            doneTwice.incrementAndGet();
        }
        return acked.exit() != ResidentClient.COLD;
    }

    private boolean ask() throws Exception {
        Session.Result asked =
                client.run(session, List.of("hook", "claude", "PreToolUse"), TOOL_CALL);
        assertThat(asked.exit()).as(asked.err()).isIn(0, 2, ResidentClient.COLD);
        if (asked.exit() == 2) {
            assertThat(asked.err()).contains("ended while it worked on this command");
        }
        return asked.exit() != ResidentClient.COLD;
    }

    private Session.Result run(String... words) throws Exception {
        return client.run(session, List.of(words), "");
    }

    /// The exit code, which is 1 only where the resident ended in the middle.
    private int told(Session.Result result) {
        assertThat(result.exit()).as(result.out() + result.err()).isIn(0, 1, ResidentClient.COLD);
        if (result.exit() == 1) {
            assertThat(result.err()).contains("ended while it worked on this command");
            unknown.incrementAndGet();
        }
        return result.exit();
    }

    private void check(HiveLayout layout, long seed) throws IOException {
        Map<String, Integer> found = mail(layout);
        sends.forEach((body, exit) -> {
            int copies = found.getOrDefault(body, 0);
            switch (exit) {
                case 0 -> assertThat(copies).as("%s, sent; seed %d", body, seed).isEqualTo(1);
                case 1 -> assertThat(copies).as("%s, unknown; seed %d", body, seed).isLessThan(2);
                default -> assertThat(copies).as("%s, not begun; seed %d", body, seed).isZero();
            }
        });
        assertThat(doneTwice).as("seed %d", seed).hasValue(0);
        Map<String, Integer> ends = new HashMap<>();
        String log = session.rsm("log", "--type", "worker_ack", "--json").out();
        for (String line : log.lines().toList()) {
            Matcher ref = REF.matcher(line);
            if (line.contains("\"status\":\"done\"") && ref.find()) {
                ends.merge(ref.group(1), 1, Integer::sum);
            }
        }
        assertThat(ends.values()).as("seed %d", seed).allMatch(count -> count == 1);
        assertThat(ends.keySet()).containsAll(done);
        System.out.printf(
                "resident killed %d times: %d commands answered, %d of them cut off%n",
                ROUNDS, answered.get(), unknown.get());
        assertThat(answered.get()).isGreaterThan(ROUNDS * (SENDERS + WORKERS));
    }

    /// How many files of mail there are of each body, whatever names they have.
    private static Map<String, Integer> mail(HiveLayout layout) throws IOException {
        Map<String, Integer> found = new HashMap<>();
        Set<Object> files = new HashSet<>();
        try (Stream<Path> all = Files.walk(layout.hive())) {
            for (Path file : all.filter(each -> each.toString().endsWith(".md")).toList()) {
                String text = Files.readString(file);
                int at = text.lastIndexOf("\nbody-");
                if (at >= 0 && files.add(Files.getAttribute(file, "unix:ino"))) {
                    String body = text.substring(at + 1, text.indexOf('-', at + 6) + 1);
                    found.merge(body, 1, Integer::sum);
                }
            }
        }
        return found;
    }
}
