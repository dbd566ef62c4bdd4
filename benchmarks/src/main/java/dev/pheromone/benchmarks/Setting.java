package dev.pheromone.benchmarks;

import java.nio.file.Path;

/// What a benchmark may use.
///
/// @param scratch where its files go
/// @param launcher the `rsm` script
record Setting(Effort effort, Scratch scratch, Path launcher) {}
