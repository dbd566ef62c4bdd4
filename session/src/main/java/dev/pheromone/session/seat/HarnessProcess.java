package dev.pheromone.session.seat;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/// The process of an agent program. A pid alone does not name a process for long; its start does.
public record HarnessProcess(long pid, Instant startedAt) {

    /// How far up from a hook its program is looked for: shells and wrappers lie between them.
    private static final int DEPTH_MAX = 16;

    /// The system counts starts from a boot time that moves when the clock is set.
    private static final Duration START_ROOM = Duration.ofSeconds(2);

    /// Programs whose first arguments say what they run.
    private static final Set<String> INTERPRETERS = Set.of("node", "bun", "deno", "python3");

    private static final int SCRIPT_WORDS = 3;

    /// The nearest process of `harness` among the process `pid` and those above it.
    static Optional<HarnessProcess> above(String harness, long pid) {
        Optional<ProcessHandle> at = ProcessHandle.of(pid);
        for (int i = 0; at.isPresent() && i < DEPTH_MAX; i++) {
            Optional<Instant> start = at.get().info().startInstant();
            if (start.isPresent() && isOf(harness, at.get().info())) {
                return Optional.of(new HarnessProcess(at.get().pid(), start.get()));
            }
            at = at.get().parent();
        }
        return Optional.empty();
    }

    /// Whether the process still runs.
    public boolean isAlive() {
        return handle().isPresent();
    }

    /// Whether the process `pid` is this one, or was started below it.
    boolean isAbove(long pid) {
        Optional<ProcessHandle> at = ProcessHandle.of(pid);
        for (int i = 0; at.isPresent() && i < DEPTH_MAX; i++) {
            if (at.get().pid() == this.pid) {
                return isAlive();
            }
            at = at.get().parent();
        }
        return false;
    }

    /// The program that the process runs, by its whole path.
    Optional<String> program() {
        return handle().flatMap(handle -> handle.info().command());
    }

    private Optional<ProcessHandle> handle() {
        Optional<ProcessHandle> handle = ProcessHandle.of(pid).filter(ProcessHandle::isAlive);
        Instant start = handle.flatMap(found -> found.info().startInstant()).orElse(null);
        return start != null && Duration.between(startedAt, start).abs().compareTo(START_ROOM) <= 0
                ? handle
                : Optional.empty();
    }

    private static boolean isOf(String harness, ProcessHandle.Info info) {
        String command = info.command().orElse("");
        String name = lastOf(command);
        if (name.equals(harness)) {
            return true;
        }
        if (INTERPRETERS.contains(name)) {
            String[] words = info.arguments().orElse(new String[0]);
            for (int i = 0; i < Math.min(words.length, SCRIPT_WORDS); i++) {
                if (hasPart(words[i], harness)) {
                    return true;
                }
            }
        }
        // Some keep their versions beside each other, each under its number.
        return !name.isEmpty() && Character.isDigit(name.charAt(0)) && hasPart(command, harness);
    }

    private static boolean hasPart(String path, String harness) {
        try {
            for (Path part : Path.of(path)) {
                if (part.toString().startsWith(harness)) {
                    return true;
                }
            }
        } catch (InvalidPathException e) {
            // The word of a command line need not be a path.
        }
        return false;
    }

    private static String lastOf(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }
}
