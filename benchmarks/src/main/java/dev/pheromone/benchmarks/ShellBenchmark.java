package dev.pheromone.benchmarks;

import dev.pheromone.benchmarks.Row.Goal;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// Commands in a process of their own, beside the start of another well-known runtime that does
/// nothing.
final class ShellBenchmark implements Benchmark {

    private static final int ROUNDS = 40;
    private static final int WARM_UPS = 3;

    @Override
    public String name() {
        return "shell";
    }

    @Override
    public List<Row> run(Setting setting) throws Exception {
        Path folder = setting.scratch().freshHive("shell", SampleMail.INBOX).root();
        Commands commands = new Commands(folder);
        List<String> node = List.of("node", "-e", "0");
        try {
            commands.time(node);
        } catch (IOException e) {
            return List.of(new Row.NotMeasured(name(), "node is not on the PATH"));
        }
        String rsm = setting.launcher().toString();
        return List.of(
                row(setting, commands, "check", 1.2, List.of(rsm, "check", "README.md"), node),
                row(
                        setting,
                        commands,
                        "send",
                        1.5,
                        List.of(rsm, "send", "--to", "code", "please review the parser"),
                        node));
    }

    private Row row(
            Setting setting,
            Commands commands,
            String verb,
            double goal,
            List<String> ours,
            List<String> node)
            throws Exception {
        Duel duel =
                Duel.run(
                        setting.effort().rounds(WARM_UPS),
                        setting.effort().rounds(ROUNDS),
                        () -> commands.time(ours),
                        () -> commands.time(node));
        return new Row.Measured(
                name(),
                "./rsm " + verb + ", start to end",
                "node -e 0, start to end",
                duel,
                Goal.timeAtMost(goal));
    }
}
