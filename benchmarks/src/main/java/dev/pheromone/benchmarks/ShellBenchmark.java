package dev.pheromone.benchmarks;

import dev.pheromone.benchmarks.Row.Goal;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// `rsm send` as people and scripts run it, beside the start of another well-known runtime that
/// does nothing.
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
        if (!isThere(folder, List.of("node", "--version"))) {
            return List.of(new Row.NotMeasured(name(), "node is not on the PATH"));
        }
        String rsm = setting.launcher().toString();
        List<String> send = List.of(rsm, "send", "--to", "code", "please review the parser");
        Duel duel =
                Duel.run(
                        setting.effort().rounds(WARM_UPS),
                        setting.effort().rounds(ROUNDS),
                        () -> time(folder, send),
                        () -> time(folder, List.of("node", "-e", "0")));
        Duel check =
                Duel.run(
                        setting.effort().rounds(WARM_UPS),
                        setting.effort().rounds(ROUNDS),
                        () -> time(folder, List.of(rsm, "check", "src/secret.txt", "--read")),
                        () -> time(folder, send));
        return List.of(
                new Row.Measured(
                        name(),
                        "./rsm send, start to end",
                        "node -e 0, start to end",
                        duel,
                        Goal.timeAtMost(2.5)),
                new Row.Measured(
                        name(),
                        "./rsm check, start to end",
                        "./rsm send, start to end",
                        check,
                        Goal.timeAtMost(1)));
    }

    private static boolean isThere(Path folder, List<String> command) throws InterruptedException {
        try {
            time(folder, command);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /// The time from starting the process to its end.
    private static double time(Path folder, List<String> command)
            throws IOException, InterruptedException {
        Path errors = folder.resolve("stderr");
        long began = System.nanoTime();
        Process process =
                new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
                        .redirectOutput(Redirect.DISCARD)
                        .redirectError(errors.toFile())
                        .start();
        int status = process.waitFor();
        double time = System.nanoTime() - began;
        if (status != 0) {
            throw new IOException(
                    "%s: exit %d: %s"
                            .formatted(
                                    String.join(" ", command),
                                    status,
                                    Files.readString(errors).strip()));
        }
        return time;
    }
}
