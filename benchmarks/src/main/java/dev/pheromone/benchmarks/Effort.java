package dev.pheromone.benchmarks;

/// How long to measure: enough for a figure to rely on, or for a first look.
enum Effort {
    FULL(1),
    QUICK(5);

    private static final int ROUNDS_MIN = 3;

    private final int divisor;

    Effort(int divisor) {
        this.divisor = divisor;
    }

    int rounds(int full) {
        return Math.max(ROUNDS_MIN, full / divisor);
    }
}
