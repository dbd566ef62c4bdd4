package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.lock.LockFiles;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// Every path that the whole program touches, during every command and under every kind of lock, as
/// the kernel saw it: none of them was locked.
@Timeout(value = 15, unit = TimeUnit.MINUTES)
final class TouchedPathsTest {

    /// How a call ends that was about a name which nothing has.
    private static final String NOT_THERE = " = -1 ENOENT ";

    @TempDir Path folder;

    /// What was seen under one lock.
    private static final class Seen {
        private int touches;

        /// The locks that would have forbidden something, of what was done without one.
        private final Set<LockedPlace> would = EnumSet.noneOf(LockedPlace.class);

        /// What was touched though it was locked, and how often.
        private final Map<String, Integer> locked = new TreeMap<>();
    }

    @Test
    void everyCommandIsTried() {
        Set<String> tried = new TreeSet<>();
        for (String command : TouchingMain.COMMANDS) {
            tried.add(verb(command));
        }
        assertThat(tried).containsExactlyInAnyOrderElementsOf(Verbs.NAMES);
    }

    @Test
    void noneIsLocked() throws Exception {
        Path hives = folder.toRealPath().resolve("hives");
        List<LockedPlace> locks =
                Stream.of(LockedPlace.values())
                        .filter(lock -> lock.isEssential() || Boolean.getBoolean("rsm.long"))
                        .toList();
        Map<LockedPlace, Seen> seen = new EnumMap<>(LockedPlace.class);
        locks.forEach(lock -> seen.put(lock, new Seen()));
        int lines = 0;
        // Traced, a process has one core at most; two halves of the locks take half the time.
        List<LockedPlace> half = new ArrayList<>();
        List<LockedPlace> rest = new ArrayList<>();
        locks.forEach(lock -> (half.size() > rest.size() ? rest : half).add(lock));
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            List<Callable<Strace>> both =
                    List.of(() -> trace(hives, half), () -> trace(hives, rest));
            for (Future<Strace> trace : threads.invokeAll(both)) {
                lines += judge(trace.get(), hives, seen);
            }
        }

        StringBuilder violations = new StringBuilder();
        int touches = 0;
        for (Map.Entry<LockedPlace, Seen> each : seen.entrySet()) {
            touches += each.getValue().touches;
            each.getValue()
                    .locked
                    .forEach((what, count) ->
                            violations.append(
                                    "%s: %s, %d times%n".formatted(each.getKey(), what, count)));
        }
        System.out.printf(
                "touched paths: %d commands under %d locks, %d system calls, %d on the hive; %d"
                        + " of these on what was locked%n",
                TouchingMain.COMMANDS.size(),
                seen.size() - 1,
                lines,
                touches,
                violations.toString().lines().count());
        assertThat(violations.toString()).isEmpty();
        // Without a lock everything that one covers is touched: what is not seen above was
        // withheld.
        Set<LockedPlace> tried = EnumSet.copyOf(seen.keySet());
        tried.remove(LockedPlace.FREE);
        assertThat(seen.get(LockedPlace.FREE).would).containsAll(tried);
    }

    private Strace trace(Path hives, List<LockedPlace> locks) throws Exception {
        List<String> arguments = new ArrayList<>();
        arguments.add(hives.toString());
        locks.forEach(lock -> arguments.add(lock.name()));
        return Strace.run(
                "TouchedPathsTest",
                Files.createDirectory(folder.resolve("from-" + locks.getFirst())),
                TouchingMain.class,
                arguments.toArray(String[]::new));
    }

    private static String verb(String command) {
        return command.split(" ", 2)[0];
    }

    /// Returns how many calls there were.
    private static int judge(Strace trace, Path hives, Map<LockedPlace, Seen> seen)
            throws IOException {
        int lines = 0;
        LockedPlace lock = LockedPlace.FREE;
        String command = "";
        // Whatever a hive contains was made in this trace: a name that no call found before is new.
        Set<Path> named = new HashSet<>();
        try (BufferedReader all = trace.lines()) {
            for (String line = all.readLine(); line != null; line = all.readLine()) {
                lines++;
                for (Touch touch :
                        line.contains(hives.toString()) ? Touch.parse(line) : List.<Touch>of()) {
                    if (!touch.path().startsWith(hives)) {
                        continue;
                    }
                    boolean isNew =
                            line.contains(NOT_THERE)
                                    ? !named.contains(touch.path())
                                    : named.add(touch.path());
                    String name = String.valueOf(touch.path().getFileName());
                    if (name.equals(TouchingMain.END)) {
                        command = "";
                    } else if (name.startsWith(TouchingMain.MARK)) {
                        List<String> parts = List.of(name.split("-", -1));
                        lock = LockedPlace.values()[Integer.parseInt(parts.get(1))];
                        command = TouchingMain.COMMANDS.get(Integer.parseInt(parts.get(2)));
                    } else if (lifts(touch, lock, command)) {
                        command = "";
                    } else if (!command.isEmpty()) {
                        judge(
                                isNew ? touch.ofNothing() : touch,
                                hives,
                                lock,
                                command,
                                seen.get(lock));
                    }
                }
            }
        }
        return lines;
    }

    /// Whether this is the moment when the lock is no longer there.
    private static boolean lifts(Touch touch, LockedPlace lock, String command) {
        return lock.isByHiveLock()
                && command.startsWith("unlock hive")
                && touch.kind() == Touch.Kind.ERASE
                && touch.path().endsWith(LockFiles.HIVE_LOCK);
    }

    private static void judge(
            Touch touch, Path hives, LockedPlace lock, String command, Seen seen) {
        Path root = hives.resolve(lock.name()).resolve("repo");
        if (!touch.path().startsWith(root)) {
            return;
        }
        seen.touches++;
        String path = root.relativize(touch.path()).toString();
        if (lock == LockedPlace.FREE) {
            seen.would.addAll(lockedBy(touch, path, command));
            return;
        }
        if (lock.forbids(touch.kind(), path, verb(command))) {
            seen.locked.merge(
                    "rsm %s: %s %s (%s)".formatted(command, touch.kind(), path, touch.call()),
                    1,
                    Integer::sum);
        }
    }

    /// The locks that would forbid it.
    private static Set<LockedPlace> lockedBy(Touch touch, String path, String command) {
        Set<LockedPlace> locks = EnumSet.noneOf(LockedPlace.class);
        for (LockedPlace lock : LockedPlace.values()) {
            if (lock.forbids(touch.kind(), path, verb(command))) {
                locks.add(lock);
            }
        }
        return locks;
    }
}
