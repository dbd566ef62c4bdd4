package dev.pheromone.cli.resident;

import dev.pheromone.cli.frame.Surroundings;
import dev.pheromone.disk.HiveLayout;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// A process that goes on when its terminal is closed, with what it prints in a file.
///
/// @param log where that is
public record Background(Process process, Path log) {

    /// How long it may take to begin: a build comes first where a source changed.
    private static final Duration BEGIN_MAX = Duration.ofMinutes(3);

    private static final Duration PAUSE = Duration.ofMillis(20);

    /// A session of its own, where the system has a command for that, is reached by no signal of
    /// the terminal.
    private static final String SCRIPT =
            """
            exec </dev/null >"$1" 2>&1
            shift
            if command -v setsid >/dev/null; then exec setsid "$@"; else exec nohup "$@"; fi
            """;

    /// Starts `words`, which are to listen for commands in the hive at `layout`.
    public static Background start(List<String> words, HiveLayout layout, Surroundings surroundings)
            throws IOException {
        List<ResidentAddress> addresses = ResidentAddress.of(layout, surroundings);
        if (addresses.isEmpty()) {
            throw new IOException("no folder for a socket whose path is short enough");
        }
        ResidentAddress address = addresses.getFirst();
        address.makeFolder();
        List<String> command = new ArrayList<>(List.of("sh", "-c", SCRIPT, "sh"));
        command.add(address.log().toString());
        command.addAll(words);
        return new Background(new ProcessBuilder(command).start(), address.log());
    }

    /// Whether the process has not ended.
    public boolean isAlive() {
        return process.isAlive();
    }

    /// The last line that it printed; empty if there is none.
    public String lastLine() {
        try {
            return ResidentAddress.text(log)
                    .lines()
                    .filter(line -> !line.isBlank())
                    .reduce("", (_, line) -> line);
        } catch (IOException e) {
            return "";
        }
    }

    /// The resident, once it answers; none if it has ended, or takes too long.
    public Optional<Resident> await(HiveLayout layout, Surroundings surroundings)
            throws IOException {
        long end = System.nanoTime() + BEGIN_MAX.toNanos();
        try {
            while (System.nanoTime() < end) {
                Optional<Resident> found = Resident.of(layout, surroundings);
                if (found.isPresent() || !process.isAlive()) {
                    return found;
                }
                Thread.sleep(PAUSE);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return Optional.empty();
    }
}
