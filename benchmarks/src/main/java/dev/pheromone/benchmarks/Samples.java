package dev.pheromone.benchmarks;

import java.util.Collection;
import java.util.List;

/// What was measured, smallest first.
///
/// The median is what counts: on a machine that also does other things some samples are far too
/// large, and none is too small.
record Samples(List<Double> sorted) {

    static Samples of(Collection<Double> values) {
        if (values.isEmpty()) {
            throw new IllegalArgumentException("samples: found none, expected at least one");
        }
        return new Samples(values.stream().sorted().toList());
    }

    double median() {
        return at(0.5);
    }

    /// The value that a quarter of the samples lie below.
    double lowerQuartile() {
        return at(0.25);
    }

    /// The value that a quarter of the samples lie above.
    double upperQuartile() {
        return at(0.75);
    }

    /// The value that one in twenty of the samples lies above.
    double slowest() {
        return at(0.95);
    }

    int count() {
        return sorted.size();
    }

    /// Between two samples, the value is between theirs.
    private double at(double fraction) {
        double place = fraction * (sorted.size() - 1);
        int below = (int) place;
        int above = Math.min(below + 1, sorted.size() - 1);
        return sorted.get(below) + (sorted.get(above) - sorted.get(below)) * (place - below);
    }
}
