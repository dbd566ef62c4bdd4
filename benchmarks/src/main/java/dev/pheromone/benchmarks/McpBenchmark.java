package dev.pheromone.benchmarks;

import dev.pheromone.benchmarks.Row.Goal;
import dev.pheromone.disk.HiveLayout;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// `rsm mcp`, from its start to its first answer, in a process of its own and through a resident
/// one, beside a shell that does nothing.
final class McpBenchmark implements Benchmark {

    private static final int ROUNDS = 30;
    private static final int WARM_UPS = 5;
    private static final int GOAL_MILLIS = 150;
    private static final int RESIDENT_GOAL_MILLIS = 10;
    private static final int RESIDENT_ROUNDS = 100;
    private static final double NANOS_A_MILLI = 1e6;

    private static final String INITIALIZE =
            """
            {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",\
            "capabilities":{},"clientInfo":{"name":"claude-code","version":"1"}}}
            """;

    @Override
    public String name() {
        return "mcp";
    }

    @Override
    public List<Row> run(Setting setting) throws Exception {
        HiveLayout layout = setting.scratch().freshHive("mcp", SampleMail.INBOX);
        ProcessBuilder server =
                new ProcessBuilder(setting.launcher().toString(), "mcp")
                        .directory(layout.root().toFile())
                        .redirectError(ProcessBuilder.Redirect.DISCARD);
        Commands commands = new Commands(layout.root());
        List<Row> rows =
                new ArrayList<>(
                        compared(
                                setting,
                                commands,
                                server,
                                ROUNDS,
                                "to its first answer",
                                GOAL_MILLIS));
        String rsm = setting.launcher().toString();
        commands.time(List.of(rsm, "up", "--detach"));
        try {
            String what = "to its first answer, through the resident";
            rows.addAll(
                    compared(
                            setting,
                            commands,
                            server,
                            RESIDENT_ROUNDS,
                            what,
                            RESIDENT_GOAL_MILLIS));
        } finally {
            commands.time(List.of(rsm, "down"));
        }
        return rows;
    }

    private List<Row> compared(
            Setting setting,
            Commands commands,
            ProcessBuilder server,
            int rounds,
            String what,
            int goalMillis)
            throws Exception {
        Duel duel =
                Duel.run(
                        setting.effort().rounds(WARM_UPS),
                        setting.effort().rounds(rounds),
                        () -> firstAnswer(server),
                        () -> commands.time(List.of("bash", "-c", ":")));
        double median = duel.ours().median() / NANOS_A_MILLI;
        return List.of(
                new Row.Measured(
                        name(), "./rsm mcp, " + what, "bash -c :", duel, Goal.shownAsTime()),
                new Row.Figure(
                        name(),
                        "./rsm mcp, " + what,
                        String.format(Locale.ROOT, "%.1f ms", median),
                        "at most " + goalMillis + " ms",
                        median <= goalMillis));
    }

    /// How long it took, in nanoseconds.
    private static double firstAnswer(ProcessBuilder builder) throws Exception {
        long began = System.nanoTime();
        Process server = builder.start();
        try (OutputStream in = server.getOutputStream();
                BufferedReader out = server.inputReader(StandardCharsets.UTF_8)) {
            in.write(INITIALIZE.getBytes(StandardCharsets.UTF_8));
            in.flush();
            String answer = out.readLine();
            long took = System.nanoTime() - began;
            if (answer == null || !answer.contains("serverInfo")) {
                throw new IOException("found " + answer + ", expected an answer to initialize");
            }
            return took;
        } finally {
            boolean _ = server.waitFor() == 0;
        }
    }
}
