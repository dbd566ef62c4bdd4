package dev.pheromone.cli;

import dev.pheromone.cli.frame.Surroundings;
import dev.pheromone.cli.frame.Terminal;
import dev.pheromone.text.Json;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Runs every command of `rsm` under every lock, each in a hive that is in use, in one process.
///
/// Before and after each command it asks for a file whose name says which command that is: such
/// questions are seen in a trace of the process.
///
/// Arguments: a folder for the hives, and the locks.
final class TouchingMain {

    /// What the names that mark a command begin with, and what comes after its end.
    static final String MARK = "step-";

    static final String END = "step-none";

    /// Every command, some in several ways. `WAITING`, `TAKEN`, `CLAIM`, `DONE` and `KEPT` stand
    /// for mail that waits, that is being worked on and by which claim, that is done, and that is
    /// in the embargo; `OTHER` for another hive. At the transport `team` nobody answers.
    static final List<String> COMMANDS =
            List.of(
                    "init",
                    "setup claude --dry-run",
                    "setup claude",
                    "setup claude --check",
                    "hook claude PreToolUse < Read .deia/inbox/code/WAITING.md",
                    "hook claude PreToolUse < Read secret.txt",
                    "hook claude PreToolUse < Bash cat .deia/*/code/*.md secret.txt",
                    "hook claude PreToolUse < Bash rm -r .deia",
                    "hook claude SessionStart < Bash true",
                    "send --create --to worker://claude-6b86 hello",
                    "hook claude UserPromptSubmit < Bash true",
                    "hook claude PreToolUse < Bash true",
                    "hook claude PostToolUse < Bash true",
                    "hook claude FileChanged < Bash true",
                    "hook claude Stop < Bash true",
                    "agents",
                    "wake claude-6b86",
                    "mcp",
                    "prime",
                    "describe",
                    "ask --create user://you may-I --choice yes --choice no",
                    "ask --list",
                    "send --to code hello",
                    "send --to code --to docs hello",
                    "send --to nobody hello --create",
                    "send --to code --body-file secret.txt",
                    "send --to code --attach secret.txt hello",
                    "send --to code --envelope secret.txt",
                    "send --to code hello --sign",
                    "send --to code hello --wait-reply 1s",
                    "send --to code --via team hello",
                    "reply TAKEN yes",
                    "reply DONE yes",
                    "inbox",
                    "inbox code",
                    "inbox code --by-sender",
                    "watch code --once --after 0",
                    "read WAITING",
                    "read TAKEN",
                    "read DONE --raw",
                    "select code --dry-run",
                    "select code",
                    "ack CLAIM accepted",
                    "ack CLAIM error no",
                    "ack CLAIM done yes --reply thanks",
                    "ack WAITING done",
                    "release CLAIM",
                    "retry DONE",
                    "drop red --ref secret.txt",
                    "sense",
                    "status",
                    "status --line",
                    "slo",
                    // It waits until there is mail, as watch does: not after bridges, which take
                    // all of it.
                    "work code --once -- true",
                    "up",
                    "down",
                    "board --forget",
                    "serve --bind 127.0.0.1:0",
                    "bridge . team --drain",
                    "bridge . OTHER --domain code --drain",
                    "select code --via team",
                    "inbox code --via team",
                    "archive --via team",
                    "ack TAKEN done --via team",
                    "mute",
                    "mute ci --for 1h --by you",
                    "log",
                    "log --type rsm_envelope_emit --json",
                    "trace WAITING",
                    "trace DONE",
                    "search hello",
                    "search hello --in archive",
                    "search hello --in log",
                    "reserve secret.txt src --why now",
                    "reserve",
                    "check secret.txt",
                    "check --write secret.txt",
                    "check --write .deia/inbox/code/x.md --content secret.txt",
                    "check --erase .deia/archive/code",
                    "reserve --drop",
                    "lock",
                    "verify WAITING",
                    "verify DONE",
                    "verify secret.txt",
                    "verify .deia/inbox/code/WAITING.md",
                    "keys new other",
                    "keys list",
                    "keys trust laptop --by you",
                    "keys revoke laptop --by you",
                    "keys sign secret.txt",
                    "redact WAITING --public",
                    "redact WAITING --public --yes",
                    "archive",
                    "archive approve --by you",
                    "embargo",
                    "embargo release",
                    "embargo release KEPT --yes --by you",
                    "audit",
                    "doctor",
                    "doctor --fix",
                    "schema",
                    "completion bash",
                    "install",
                    "help all",
                    "demo",
                    "lock dnr other.txt",
                    "unlock dnr other.txt --by you",
                    "lock trust-guard --by you",
                    "override",
                    "override .deia/inbox/code/x.md --content secret.txt --reason now --by you",
                    "lock hive",
                    "unlock hive --by you",
                    "lock hive --reason again",
                    "unlock hive --release --by you");

    /// How long a command runs that has no end.
    private static final Duration LOOP_MAX = Duration.ofMillis(500);

    private static final Duration LOOP_END_MAX = Duration.ofSeconds(30);

    private final Path root;
    private final Path home;
    private final Path other;
    private final LockedPlace lock;
    private String waiting = "";
    private String taken = "";
    private String claim = "";
    private String done = "";
    private String kept = "";

    private TouchingMain(Path folder, LockedPlace lock) throws IOException {
        this.home = Files.createDirectories(folder);
        this.root = Files.createDirectory(folder.resolve("repo"));
        this.other = folder.resolve("other");
        this.lock = lock;
    }

    public static void main(String[] arguments) throws IOException {
        Path folder = Path.of(arguments[0]);
        for (int i = 1; i < arguments.length; i++) {
            LockedPlace lock = LockedPlace.valueOf(arguments[i]);
            long began = System.nanoTime();
            new TouchingMain(folder.resolve(lock.name()), lock).run();
            System.out.printf(
                    "touched paths: %d commands under %s in %d ms%n",
                    COMMANDS.size(), lock, (System.nanoTime() - began) / 1_000_000);
        }
        // As the program itself ends, without waiting for threads of commands.
        Runtime.getRuntime().halt(0);
    }

    private void run() throws IOException {
        useHive();
        lock.set(root, this::rsm);
        for (int i = 0; i < COMMANDS.size(); i++) {
            if (lock != LockedPlace.FREE && !lock.isByHiveLock() && isSlow(COMMANDS.get(i))) {
                continue;
            }
            mark(MARK + lock.ordinal() + "-" + i);
            run(COMMANDS.get(i));
            mark(END);
            lock.set(root, this::rsm);
        }
    }

    /// Those that wait, or do the work of many in a hive elsewhere.
    private static boolean isSlow(String command) {
        return command.equals("demo") || command.contains("--wait");
    }

    private void mark(String name) {
        boolean _ = Files.exists(root.resolveSibling(name));
    }

    /// Mail in every state, and files of the user's.
    private void useHive() throws IOException {
        Files.writeString(root.resolve("secret.txt"), "sesame\n");
        rsm("init");
        rsm("init " + other);
        Files.writeString(
                root.resolve(".deia/hive.yaml"),
                "transports: {team: {url: \"http://127.0.0.1:1\"}}\n");
        rsm("keys new laptop");
        rsm("keys trust laptop --by you");
        done = sent();
        rsm("select code");
        rsm("ack " + done + " done");
        String failed = sent();
        rsm("select code");
        rsm("ack " + failed + " error broken");
        taken = sent();
        claim = AnswerSchemas.field(rsm("select code --json"), "claim");
        waiting = sent();
        rsm("drop red");
        rsm("lock hive");
        kept = sent();
        rsm("unlock hive --by you");
    }

    private String sent() {
        return AnswerSchemas.field(rsm("send --to code hello --json"), "id");
    }

    private String rsm(String line) {
        return rsm(List.of(line.split(" ", -1)), "");
    }

    /// Runs a command as the program itself would be; returns what it printed.
    private String rsm(List<String> words, String input) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int _ =
                new Rsm(
                                new Surroundings(
                                        Map.of(),
                                        root,
                                        home,
                                        "You",
                                        new ByteArrayInputStream(
                                                input.getBytes(StandardCharsets.UTF_8)),
                                        out,
                                        OutputStream.nullOutputStream(),
                                        InstantSource.system(),
                                        Terminal.NONE,
                                        null))
                        .run(words);
        return out.toString(StandardCharsets.UTF_8);
    }

    private void run(String command) {
        String line =
                command.replace("WAITING", waiting)
                        .replace("TAKEN", taken)
                        .replace("CLAIM", claim)
                        .replace("DONE", done)
                        .replace("KEPT", kept)
                        .replace("OTHER", other.toString());
        if (line.equals("up") || line.startsWith("serve")) {
            runForAWhile(line);
            return;
        }
        int input = line.indexOf(" < ");
        if (input < 0) {
            rsm(List.of(line.split(" ", -1)), "");
            return;
        }
        List<String> words = new ArrayList<>(List.of(line.substring(0, input).split(" ", -1)));
        String[] tool = line.substring(input + " < ".length()).split(" ", 2);
        String parameter = tool[0].equals("Read") ? "file_path" : "command";
        rsm(
                words,
                Json.obj()
                        .put("session_id", "1")
                        .put("cwd", root.toString())
                        .put("tool_name", tool[0])
                        .put("tool_input", Json.obj().put(parameter, tool[1]))
                        .toString());
    }

    /// Runs a command that has no end of its own, and ends it.
    private void runForAWhile(String line) {
        Thread loop = Thread.ofPlatform().daemon().start(() -> rsm(line));
        try {
            boolean _ = loop.join(LOOP_MAX);
            loop.interrupt();
            if (!loop.join(LOOP_END_MAX)) {
                throw new IllegalStateException("rsm " + line + " does not end");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
