package dev.pheromone.benchmarks;

import dev.pheromone.benchmarks.Row.Goal;

import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

import java.util.ArrayList;
import java.util.List;

/// Our header reader beside the YAML library that it is checked against.
final class HeaderBenchmark implements Benchmark {

    private static final int ROUNDS = 8;
    private static final int WARM_UPS = 6;
    private static final int ITERATIONS = 5;
    private static final TimeValue ITERATION = TimeValue.milliseconds(300);

    @Override
    public String name() {
        return "header";
    }

    @Override
    public List<Row> run(Setting setting) throws Exception {
        List<Double> typed = new ArrayList<>();
        List<Double> text = new ArrayList<>();
        List<Double> yaml = new ArrayList<>();
        for (int i = 0; i < setting.effort().rounds(ROUNDS); i++) {
            typed.add(measure("ours"));
            yaml.add(measure("yaml"));
            text.add(measure("oursAsText"));
        }
        return List.of(
                new Row.Measured(
                        name(),
                        "header read into typed values",
                        "snakeyaml-engine, events only",
                        Duel.of(typed, yaml),
                        Goal.speedAtLeast(6)),
                new Row.Measured(
                        name(),
                        "header read into texts",
                        "snakeyaml-engine, events only",
                        Duel.of(text, yaml),
                        Goal.shownAsSpeed()));
    }

    /// A JVM of its own each time: no other code has shaped what its compiler does.
    private static double measure(String method) throws RunnerException {
        Options options =
                new OptionsBuilder()
                        .include("\\.HeaderReading\\." + method + "$")
                        .forks(1)
                        .warmupIterations(WARM_UPS)
                        .warmupTime(ITERATION)
                        .measurementIterations(ITERATIONS)
                        .measurementTime(ITERATION)
                        .verbosity(VerboseMode.SILENT)
                        .shouldFailOnError(true)
                        .jvmArgsAppend("--sun-misc-unsafe-memory-access=allow")
                        .build();
        RunResult result = new Runner(options).runSingle();
        List<Double> iterations = new ArrayList<>();
        result.getBenchmarkResults().iterator().next().getIterationResults().stream()
                .map(iteration -> iteration.getPrimaryResult().getScore())
                .forEach(iterations::add);
        return Samples.of(iterations).median();
    }
}
