package dev.pheromone.cli;

import dev.pheromone.cli.frame.Surroundings;
import dev.pheromone.text.Json;

import java.io.ByteArrayInputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// Runs the commands of every day once, so that the start-up cache made from this run knows their
/// classes.
public final class Training {

    private Training() {}

    /// Runs them in the empty folder that is the one argument.
    public static void main(String[] args) {
        Path folder = Path.of(args[0]).toAbsolutePath();
        run(folder, "init");
        run(folder, "send", "--to", "code", "please look");
        run(
                folder,
                "send",
                "--to",
                "code",
                "--to",
                "user://you",
                "--priority",
                "P1",
                "--json",
                "look");
        run(folder, "send", "--to", "cdoe", "please look");
        run(folder, "inbox", "code");
        run(folder, "inbox", "code", "--json");
        run(folder, "status");
        run(folder, "check", "src/secret.txt");
        run(folder, "check", "--write", "src/secret.txt", "--json");
        run(folder, "read", "--json", "none");
        run(folder, "select", "code");
        run(folder, "select", "code", "--json");
        run(folder, "work", "code", "--drain", "--", "true");
        run(folder, "drop", "main is red");
        run(folder, "sense");
        run(folder, "log");
        run(folder, "status", "--line");
        run(folder, "help", "all");
        run(folder, "lock", "dnr", "secret.txt", "--reason", "keys");
        run(folder, "lock");
        run(folder, "check", "secret.txt");
        run(folder, "check", "--write", "notes.txt", "--json");
        hook(folder, "cat secret.txt");
        hook(folder, "cd docs && grep -r \"a b\" . | sort > out.txt");
        run(folder);
    }

    /// Asks the hook about a shell command.
    private static void hook(Path folder, String command) {
        String call =
                Json.obj()
                        .put("tool_name", "Bash")
                        .put("tool_input", Json.obj().put("command", command))
                        .toString();
        run(folder, call, List.of("hook", "claude", "PreToolUse"));
    }

    private static void run(Path folder, String... words) {
        run(folder, "", List.of(words));
    }

    /// Runs one command as the process itself would be, but in that folder, and in silence.
    private static void run(Path folder, String input, List<String> words) {
        Surroundings real = Main.surroundings();
        Surroundings surroundings =
                new Surroundings(
                        Map.of("RSM_ACTOR", "you"),
                        folder,
                        folder,
                        real.user(),
                        new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
                        OutputStream.nullOutputStream(),
                        OutputStream.nullOutputStream(),
                        real.clock(),
                        real.terminal(),
                        null);
        int _ = Main.run(words.toArray(String[]::new), surroundings);
    }
}
