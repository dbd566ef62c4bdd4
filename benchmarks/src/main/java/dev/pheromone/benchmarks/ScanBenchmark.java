package dev.pheromone.benchmarks;

import dev.pheromone.benchmarks.Row.Goal;
import dev.pheromone.disk.HiveLayout;

import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/// The first look at a crowded inbox, beside a loop that lists the folder and reads the files: in a
/// process that runs already, and in one that has just started.
final class ScanBenchmark implements Benchmark {

    static final int WAITING = 100_000;

    private static final String BARE = "bare loop: list, open, read 8 KiB";
    private static final String NAMES = "bare list of the names, new process";
    private static final int ROUNDS = 10;
    private static final int WARM_UPS = 4;

    @Override
    public String name() {
        return "scan";
    }

    @Override
    public List<Row> run(Setting setting) throws Exception {
        HiveLayout layout = setting.scratch().crowdedHive(WAITING);
        int rounds = setting.effort().rounds(ROUNDS);
        Duel warm =
                Duel.run(
                        WARM_UPS,
                        rounds,
                        () -> FirstScan.select(layout),
                        () -> FirstScan.bare(layout));
        Duel cold =
                Duel.run(
                        1,
                        rounds,
                        () -> inNewProcess(FirstScan.SELECT, layout.root()),
                        () -> inNewProcess(FirstScan.BARE, layout.root()));
        Duel list = Duel.run(1, rounds, () -> FirstScan.list(layout), () -> FirstScan.bare(layout));
        Duel selectKept = againstNames(FirstScan.SELECT_KEPT, layout, rounds);
        Duel overviewKept = againstNames(FirstScan.OVERVIEW_KEPT, layout, rounds);
        return List.of(
                new Row.Measured(
                        name(), "first select, 100,000 waiting", BARE, warm, Goal.timeAtMost(2.5)),
                new Row.Measured(
                        name(),
                        "first select, 100,000 waiting, new process",
                        BARE + ", new process",
                        cold,
                        Goal.shownAsTime()),
                new Row.Measured(
                        name(), "list of 100,000 in order", BARE, list, Goal.shownAsTime()),
                new Row.Measured(
                        name(),
                        "select, 100,000 waiting with kept headers, new process",
                        NAMES,
                        selectKept,
                        Goal.timeAtMost(3)),
                new Row.Measured(
                        name(),
                        "figures of 100,000 with kept headers, new process",
                        NAMES,
                        overviewKept,
                        Goal.timeAtMost(3)));
    }

    private static Duel againstNames(String side, HiveLayout layout, int rounds) throws Exception {
        return Duel.run(
                1,
                rounds,
                () -> inNewProcess(side, layout.root()),
                () -> inNewProcess(FirstScan.NAMES, layout.root()));
    }

    private static double inNewProcess(String side, Path root)
            throws IOException, InterruptedException {
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
