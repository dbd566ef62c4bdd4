package dev.pheromone.benchmarks;

import java.util.List;

/// Something of ours that should be fast, beside something that shows how fast it could be.
interface Benchmark {

    /// The name by which it is chosen on the command line.
    String name();

    List<Row> run(Setting setting) throws Exception;
}
