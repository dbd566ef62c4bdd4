package dev.pheromone.benchmarks;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Runs benchmarks and prints one table.
///
/// The script sets two properties: `launcher`, the path of `rsm`, and `scratch`, the folder for
/// files, on the disk that is to be measured.
public final class Main {

    /// In the order in which they run.
    private static final List<Benchmark> ALL =
            List.of(
                    new SendBenchmark(),
                    new RoundTripBenchmark(),
                    new HeaderBenchmark(),
                    new AppendBenchmark(),
                    new ScanBenchmark(),
                    new SelectBenchmark(),
                    new ReleaseBenchmark(),
                    new GuardBenchmark(),
                    new RedactBenchmark(),
                    new ShellBenchmark(),
                    new ResidentBenchmark(),
                    new McpBenchmark(),
                    new LogBenchmark(),
                    new WorkerBenchmark(),
                    new PeerBenchmark(),
                    new NetworkBenchmark());

    private Main() {}

    public static void main(String[] args) throws Exception {
        List<String> names = new ArrayList<>(List.of(args));
        Effort effort = names.remove("--quick") ? Effort.QUICK : Effort.FULL;
        List<Benchmark> chosen =
                ALL.stream().filter(b -> names.isEmpty() || names.contains(b.name())).toList();
        names.removeAll(ALL.stream().map(Benchmark::name).toList());
        if (!names.isEmpty()) {
            System.err.println(
                    "benchmarks/run: error: found %s, expected --quick or any of %s"
                            .formatted(names, ALL.stream().map(Benchmark::name).toList()));
            System.exit(2);
        }
        run(chosen, effort);
    }

    private static void run(List<Benchmark> benchmarks, Effort effort) throws Exception {
        Path launcher = Path.of(System.getProperty("launcher", "rsm")).toAbsolutePath();
        Path folder = Path.of(System.getProperty("scratch", "target/scratch"));
        List<Row> rows = new ArrayList<>();
        try (Scratch scratch = Scratch.in(folder)) {
            Setting setting = new Setting(effort, scratch, launcher);
            for (Benchmark benchmark : benchmarks) {
                System.err.println("measuring " + benchmark.name());
                rows.addAll(measured(benchmark, setting));
            }
            System.out.print(TextTable.of(rows));
            System.err.println("removing what was written");
        }
    }

    /// One that fails takes nothing from the others.
    private static List<Row> measured(Benchmark benchmark, Setting setting) {
        try {
            return benchmark.run(setting);
        } catch (Exception e) {
            e.printStackTrace();
            return List.of(new Row.NotMeasured(benchmark.name(), "failed: " + e.getMessage()));
        }
    }
}
