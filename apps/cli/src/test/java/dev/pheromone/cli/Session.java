package dev.pheromone.cli;

import dev.pheromone.cli.frame.Surroundings;
import dev.pheromone.cli.frame.Terminal;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// A person or agent at work in a folder of its own: runs `rsm` in this process, as `Main` would.
final class Session {

    /// What one command left behind.
    record Result(int exit, String out, String err) {}

    final Map<String, String> env = new HashMap<>();
    final Path home;
    Path cwd;
    Terminal terminal = Terminal.NONE;
    @Nullable Path launcher;

    /// Its clock stands still but for a moment between commands: ages in answers do not depend on
    /// how fast the machine is.
    private Instant now = Clock.systemUTC().instant();

    Session(Path folder) {
        this.cwd = folder;
        this.home = folder.resolve("home");
    }

    void later(Duration duration) {
        now = now.plus(duration);
    }

    void setClock(Instant time) {
        now = time;
    }

    Result rsm(String... words) {
        return rsm(List.of(words), "");
    }

    Result rsm(List<String> words, String input) {
        later(Duration.ofMillis(1));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int exit = new Rsm(surroundings(input, out, err)).run(words);
        return new Result(
                exit, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    Surroundings surroundings() {
        return surroundings("", OutputStream.nullOutputStream(), OutputStream.nullOutputStream());
    }

    Surroundings surroundings(String input, OutputStream out, OutputStream err) {
        return new Surroundings(
                Map.copyOf(env),
                cwd,
                home,
                "You",
                new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
                out,
                err,
                () -> now,
                terminal,
                launcher);
    }
}
