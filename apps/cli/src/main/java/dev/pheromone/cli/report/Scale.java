package dev.pheromone.cli.report;

/// The counts beside a picture.
final class Scale {

    private Scale() {}

    /// The count at the top: a round number that is not below `value`, and whose half is whole.
    static long top(long value) {
        for (long unit = 1; ; unit *= 10) {
            for (int step : new int[] {2, 4, 6, 8, 10}) {
                if (step * unit >= value) {
                    return step * unit;
                }
            }
        }
    }
}
