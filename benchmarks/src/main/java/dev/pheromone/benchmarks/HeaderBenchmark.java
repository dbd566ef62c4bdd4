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

    private static final String EVENTS = "snakeyaml-engine, events only";
    private static final String MAP = "snakeyaml-engine, into a map";
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
        List<Double> map = new ArrayList<>();
        List<Double> events = new ArrayList<>();
        for (int i = 0; i < setting.effort().rounds(ROUNDS); i++) {
            typed.add(measure("ours"));
            events.add(measure("yamlEvents"));
            text.add(measure("oursAsText"));
            map.add(measure("yamlMap"));
        }
        String typedRead = "header read into typed values";
        String textRead = "header read into texts";
        return List.of(
                row(typedRead, EVENTS, Duel.of(typed, events), Goal.speedAtLeast(6)),
                row(typedRead, MAP, Duel.of(typed, map), Goal.shownAsSpeed()),
                row(textRead, EVENTS, Duel.of(text, events), Goal.shownAsSpeed()),
                row(textRead, MAP, Duel.of(text, map), Goal.shownAsSpeed()));
    }

    private Row row(String ours, String peer, Duel duel, Goal goal) {
        return new Row.Measured(name(), ours, peer, duel, goal);
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
