package dev.pheromone.benchmarks;

import dev.pheromone.benchmarks.Row.Goal;
import dev.pheromone.disk.HiveLayout;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/// `rsm mcp`, from its start to its first answer, beside a shell that does nothing.
final class McpBenchmark implements Benchmark {

    private static final int ROUNDS = 30;
    private static final int WARM_UPS = 5;
    private static final int GOAL_MILLIS = 150;
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
        Duel duel =
                Duel.run(
                        setting.effort().rounds(WARM_UPS),
                        setting.effort().rounds(ROUNDS),
                        () -> firstAnswer(server),
                        () -> commands.time(List.of("bash", "-c", ":")));
        double median = duel.ours().median() / NANOS_A_MILLI;
        return List.of(
                new Row.Measured(
                        name(),
                        "./rsm mcp, to its first answer",
                        "bash -c :",
                        duel,
                        Goal.shownAsTime()),
                new Row.Figure(
                        name(),
                        "./rsm mcp, to its first answer",
                        String.format(Locale.ROOT, "%.0f ms", median),
                        "at most " + GOAL_MILLIS + " ms",
                        median <= GOAL_MILLIS));
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
