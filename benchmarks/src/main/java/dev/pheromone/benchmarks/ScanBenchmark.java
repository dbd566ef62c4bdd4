package dev.pheromone.benchmarks;

import dev.pheromone.benchmarks.Row.Goal;
import dev.pheromone.file.HiveLayout;

import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/// The first look at a crowded inbox, in a process that has just started, beside a loop that lists
/// the folder and reads the files in a process that has just started.
final class ScanBenchmark implements Benchmark {

    static final int WAITING = 100_000;

    private static final int ROUNDS = 9;
    private static final int WARM_UPS = 1;

    @Override
    public String name() {
        return "scan";
    }

    @Override
    public List<Row> run(Setting setting) throws Exception {
        HiveLayout layout = setting.scratch().crowdedHive(WAITING);
        int rounds = setting.effort().rounds(ROUNDS);
        Duel first =
                Duel.run(
                        WARM_UPS,
                        rounds,
                        () -> first(FirstScan.OURS, layout.root()),
                        () -> first(FirstScan.BARE, layout.root()));
        Duel again =
                Duel.run(
                        WARM_UPS,
                        rounds,
                        () -> FirstScan.ours(layout),
                        () -> FirstScan.bare(layout));
        return List.of(
                new Row.Measured(
                        name(),
                        "first scan of 100,000, new process",
                        "bare loop: list, open, read 8 KiB",
                        first,
                        Goal.timeAtMost(2.5)),
                new Row.Measured(
                        name(),
                        "first scan of 100,000, warm process",
                        "bare loop: list, open, read 8 KiB",
                        again,
                        Goal.timeAtMost(2.5)));
    }

    private static double first(String side, Path root) throws IOException, InterruptedException {
        ProcessHandle.Info self = ProcessHandle.current().info();
        Process process =
                new ProcessBuilder(
                                self.command().orElseThrow(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                FirstScan.class.getName(),
                                side,
                                root.toString())
                        .redirectError(Redirect.INHERIT)
                        .start();
        try (InputStream output = process.getInputStream()) {
            String nanos = new String(output.readAllBytes(), StandardCharsets.US_ASCII).strip();
            if (process.waitFor() != 0) {
                throw new IOException("scanning failed, see above");
            }
            return Double.parseDouble(nanos);
        }
    }
}
