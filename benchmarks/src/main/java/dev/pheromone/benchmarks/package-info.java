/// Measurements, each beside the bare thing it is compared with.
@NullMarked
package dev.pheromone.benchmarks;

import org.jspecify.annotations.NullMarked;
