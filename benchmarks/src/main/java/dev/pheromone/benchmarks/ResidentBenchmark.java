package dev.pheromone.benchmarks;

import dev.pheromone.benchmarks.Row.Goal;
import dev.pheromone.disk.HiveLayout;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// Commands that a resident process answers, from the start of the command to its end, beside a
/// shell that does nothing; and forty agents that send at the same time.
final class ResidentBenchmark implements Benchmark {

    private static final int ROUNDS = 100;
    private static final int WARM_UPS = 20;
    private static final int AGENTS = 40;
    private static final int SENDS_AN_AGENT = 25;
    private static final double NANOS_A_MILLI = 1e6;

    /// What an agent program hands to its hook.
    private static final String TOOL_CALL =
            """
            {"session_id":"1","hook_event_name":"PreToolUse","tool_name":"Bash",\
            "tool_input":{"command":"grep -r parser src | sort"}}
            """;

    private static final String AFTER_TOOL =
            """
            {"session_id":"1"}
            """;

    /// The inboxes of the sessions whose id is 1.
    private static final List<String> SESSIONS =
            List.of("worker://claude-6b86", "worker://gemini-6b86");

    @Override
    public String name() {
        return "resident";
    }

    @Override
    public List<Row> run(Setting setting) throws Exception {
        HiveLayout layout = setting.scratch().freshHive("resident", SampleMail.INBOX);
        String rsm = setting.launcher().toString();
        Commands commands = new Commands(layout.root());
        commands.time(List.of(rsm, "up", "--detach"));
        try {
            List<Row> rows = new ArrayList<>();
            Path call = Files.writeString(layout.root().resolve("call.json"), TOOL_CALL);
            rows.addAll(
                    compared(setting, commands, "check", 5, List.of(rsm, "check", "README.md")));
            rows.addAll(
                    compared(
                            setting,
                            commands.reading(call),
                            "hook",
                            8,
                            List.of(rsm, "hook", "claude", "PreToolUse")));
            rows.addAll(bell(setting, commands, layout, rsm));
            List<String> send = List.of(rsm, "send", "--to", "code", "please review");
            rows.addAll(compared(setting, commands, "send", 5, send));
            rows.add(bareSocket(setting));
            rows.add(crowd(commands, send, 1));
            rows.add(crowd(commands, send, AGENTS));
            return rows;
        } finally {
            commands.time(List.of(rsm, "down"));
        }
    }

    /// The bell after a tool: of a session that knows its mail, and of a new session at a prompt,
    /// for which one envelope waits.
    private List<Row> bell(Setting setting, Commands commands, HiveLayout layout, String rsm)
            throws Exception {
        Path silent = Files.writeString(layout.root().resolve("tool.json"), AFTER_TOOL);
        for (String to : SESSIONS) {
            commands.time(List.of(rsm, "send", "--create", "--to", to, "please look"));
        }
        List<Row> rows = new ArrayList<>();
        rows.addAll(
                compared(
                        setting,
                        commands.reading(silent),
                        "hook, a bell that is silent",
                        8,
                        List.of(rsm, "hook", "claude", "PostToolUse")));
        // A prompt rings again until a model has seen what was rung.
        rows.addAll(
                compared(
                        setting,
                        commands.reading(silent),
                        "hook, a bell that rings",
                        10,
                        List.of(rsm, "hook", "gemini", "BeforeAgent")));
        return rows;
    }

    private List<Row> compared(
            Setting setting, Commands commands, String verb, int goalMillis, List<String> command)
            throws Exception {
        Duel duel =
                Duel.run(
                        setting.effort().rounds(WARM_UPS),
                        setting.effort().rounds(ROUNDS),
                        () -> commands.time(command),
                        () -> commands.time(List.of("bash", "-c", ":")));
        double median = duel.ours().median() / NANOS_A_MILLI;
        double slowest = duel.ours().slowest() / NANOS_A_MILLI;
        return List.of(
                new Row.Measured(
                        name(),
                        "./rsm " + verb + ", answered by a resident",
                        "bash -c :",
                        duel,
                        Goal.shownAsTime()),
                new Row.Figure(
                        name(),
                        "./rsm " + verb + ", answered by a resident",
                        String.format(Locale.ROOT, "p50 %.1f ms, p95 %.1f ms", median, slowest),
                        "p50 at most "
                                + goalMillis
                                + " ms"
                                + (verb.equals("send") ? " + force" : "")
                                + ", p95 at most 3 times p50",
                        median <= goalMillis && slowest <= 3 * median));
    }

    /// What the least of all answers costs: a connection to a Unix socket, a byte there and one
    /// back.
    private Row bareSocket(Setting setting) throws Exception {
        Path socket = setting.scratch().fresh("socket").resolve("s");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(socket));
            Thread _ =
                    Thread.ofPlatform()
                            .daemon()
                            .start(() -> {
                                while (server.isOpen()) {
                                    try (SocketChannel client = server.accept()) {
                                        ByteBuffer one = ByteBuffer.allocate(1);
                                        int _ = client.read(one);
                                        int _ = client.write(one.flip());
                                    } catch (IOException e) {
                                        // The benchmark is over.
                                    }
                                }
                            });
            List<Double> times = new ArrayList<>();
            for (int i = 0; i < setting.effort().rounds(WARM_UPS + ROUNDS); i++) {
                long began = System.nanoTime();
                try (SocketChannel client = SocketChannel.open(StandardProtocolFamily.UNIX)) {
                    boolean _ = client.connect(UnixDomainSocketAddress.of(socket));
                    ByteBuffer one = ByteBuffer.allocate(1);
                    int _ = client.write(one);
                    int _ = client.read(one.clear());
                }
                times.add((double) (System.nanoTime() - began));
            }
            return new Row.Figure(
                    name(),
                    "bare Unix socket: connect, a byte there and one back",
                    String.format(
                            Locale.ROOT, "%.2f ms", Samples.of(times).median() / NANOS_A_MILLI),
                    "",
                    true);
        }
    }

    private Row crowd(Commands commands, List<String> send, int number) throws Exception {
        List<Double> times = new ArrayList<>();
        long began = System.nanoTime();
        try (ExecutorService agents = Executors.newFixedThreadPool(number)) {
            List<Callable<List<Double>>> all = new ArrayList<>();
            for (int i = 0; i < number; i++) {
                all.add(() -> {
                    List<Double> own = new ArrayList<>();
                    for (int sent = 0; sent < SENDS_AN_AGENT; sent++) {
                        own.add(commands.time(send));
                    }
                    return own;
                });
            }
            for (Future<List<Double>> agent : agents.invokeAll(all)) {
                times.addAll(agent.get());
            }
        }
        double seconds = (System.nanoTime() - began) / 1e9;
        times.sort(null);
        double last = times.get(times.size() * 99 / 100) / NANOS_A_MILLI;
        double speed = times.size() / seconds;
        return new Row.Figure(
                name(),
                number == 1 ? "one agent that sends" : number + " agents that send at once",
                String.format(
                        Locale.ROOT,
                        "%.0f a second, p50 %.0f ms, p99 %.0f ms",
                        speed,
                        times.get(times.size() / 2) / NANOS_A_MILLI,
                        last),
                number == 1 ? "" : "at least 300 a second, p99 at most 100 ms",
                number == 1 || (speed >= 300 && last <= 100));
    }
}
