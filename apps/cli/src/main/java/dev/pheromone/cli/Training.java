package dev.pheromone.cli;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.cli.frame.Surroundings;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.text.Json;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/// Runs commands of every day once, so that the start-up cache made from this run knows their
/// classes.
///
/// Every class of a cache is loaded when the JVM starts, needed or not, so that a cache for all
/// commands would cost the quickest of them as much as their work. The commands that are typed most
/// have a cache of their own, named after them.
public final class Training {

    /// Settings as a hive may have them, in whose reader many classes take part.
    private static final String SETTINGS =
            """
            domains: {governance: {lanes: [Governance]}}
            backpressure: {depth: 1000, oldest_age: 10m}
            sender: {waiting: 100, rate: 60/m, p0: 5/m}
            """;

    /// So much that one sender tells the next what waits.
    private static final int WAITING = 12;

    private final Path folder;

    private Training(Path folder) {
        this.folder = folder;
    }

    /// Runs the commands of one cache. The first argument is a folder, the second the name of the
    /// cache, or `prepare`: then two hives are made in the folder, one of them with a lock, by a
    /// process whose classes count for no cache.
    public static void main(String[] args) throws IOException {
        Path folder = Path.of(args[0]).toAbsolutePath();
        Training free = new Training(folder.resolve("free"));
        Training locked = new Training(folder.resolve("locked"));
        switch (args[1]) {
            case "prepare" -> {
                free.prepare();
                locked.prepare();
                locked.run("lock", "dnr", "secret.txt", "--reason", "keys");
            }
            case "check" -> {
                free.check();
                locked.check();
            }
            case "hook" -> hooks(free, locked);
            case "send" -> free.send();
            case "mcp" -> free.mcp();
            case "up" -> {
                // A resident process answers all of them.
                free.check();
                locked.check();
                hooks(free, locked);
                free.send();
                free.rest();
                locked.run("lock");
            }
            default -> {
                free.send();
                free.rest();
                locked.run("lock");
            }
        }
    }

    private static void hooks(Training free, Training locked) {
        free.hook("ls");
        locked.hook("cat secret.txt");
        locked.hook("cd docs && grep -r \"a b\" . | sort > out.txt");
        free.bell("UserPromptSubmit");
        free.bell("PostToolUse");
        free.hook("ls");
        free.bell("Stop");
    }

    private void prepare() throws IOException {
        Files.createDirectories(folder.resolve(".git"));
        run("init");
        Files.writeString(new HiveLayout(folder).configuration(), SETTINGS);
        for (int i = 0; i < WAITING; i++) {
            run("send", "--to", "code", "please look");
        }
        // Mail that waits for long is looked at by senders, too.
        Envelope old =
                Envelope.draft(
                                Actor.parse("you"),
                                List.of(Address.parse("queen://code")),
                                Lane.CODE,
                                "please look")
                        .ts(Main.surroundings().clock().instant().minus(Duration.ofHours(1)))
                        .body("please look")
                        .seal();
        Files.write(new HiveLayout(folder).mail(Domain.parse("code"), old.id()), old.bytes());
        // For the bell, whose sessions are called as this training calls itself.
        run("send", "--create", "--to", "worker://you", "please look");
    }

    private void check() {
        run("check", "secret.txt");
        run("check", "--write", "secret.txt", "--json");
        run("check", "--write", "notes.txt", "--json");
    }

    private void send() {
        run("send", "--to", "code", "please look");
        run("send", "--to", "code", "--to", "user://you", "--priority", "P1", "--json", "look");
        run("send", "--to", "cdoe", "please look");
    }

    /// What an agent program asks of the tools first.
    private void mcp() {
        Json.Obj params =
                Json.obj()
                        .put("protocolVersion", "2025-11-25")
                        .put("capabilities", Json.obj())
                        .put("clientInfo", Json.obj().put("name", "claude-code"));
        StringBuilder asked = new StringBuilder();
        asked.append(request(1, "initialize", params));
        asked.append(request(2, "tools/list", Json.obj()));
        for (String tool : List.of("hive_start", "inbox", "take")) {
            asked.append(
                    request(
                            asked.length(),
                            "tools/call",
                            Json.obj().put("name", tool).put("arguments", Json.obj())));
        }
        run(asked.toString(), List.of("mcp"));
    }

    private static String request(int id, String method, Json.Obj params) {
        return Json.obj()
                        .put("jsonrpc", "2.0")
                        .put("id", id)
                        .put("method", method)
                        .put("params", params)
                + "\n";
    }

    private void rest() {
        run("inbox", "code");
        run("inbox", "code", "--json");
        run("status");
        run("read", "--json", "none");
        run("select", "code");
        run("select", "code", "--json");
        run("work", "code", "--drain", "--", "true");
        run("drop", "main is red");
        run("sense");
        run("log");
        run("status", "--line");
        run("help", "all");
        run();
    }

    /// Asks the hook about a shell command.
    private void hook(String command) {
        String call =
                Json.obj()
                        .put("tool_name", "Bash")
                        .put("tool_input", Json.obj().put("command", command))
                        .toString();
        run(call, List.of("hook", "claude", "PreToolUse"));
    }

    /// Asks the bell of a session that has mail.
    private void bell(String event) {
        String call = Json.obj().put("session_id", "1").put("hook_event_name", event).toString();
        run(call, List.of("hook", "claude", event));
    }

    private void run(String... words) {
        run("", List.of(words));
    }

    /// Runs one command as the process itself would be, but in that folder, and in silence.
    private void run(String input, List<String> words) {
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
