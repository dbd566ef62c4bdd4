package dev.pheromone.benchmarks;

import org.jspecify.annotations.Nullable;

/// One line of the table.
sealed interface Row {

    String benchmark();

    /// Two sides, measured.
    ///
    /// @param ours what was done, in a few words
    /// @param peer what that is compared with
    record Measured(String benchmark, String ours, String peer, Duel duel, Goal goal)
            implements Row {

        /// The ratio in the direction that the goal is stated in.
        double ratio() {
            return goal.oriented(duel.ratios().median());
        }

        boolean isMet() {
            return goal.bound() == null || goal.isMet(ratio());
        }
    }

    /// A figure by itself, such as memory.
    ///
    /// @param goal in words; empty where the figure is only shown
    record Figure(String benchmark, String what, String figure, String goal, boolean isMet)
            implements Row {}

    /// A benchmark that this machine can't run.
    record NotMeasured(String benchmark, String reason) implements Row {}

    /// How a ratio is read, and what it should be.
    ///
    /// @param bound null where the figure is only shown
    record Goal(Reading reading, @Nullable Double bound) {

        /// Which side is divided by which.
        enum Reading {
            /// How many times as fast ours is: larger is better.
            SPEED,
            /// How many times as long ours takes: smaller is better.
            TIME
        }

        static Goal speedAtLeast(double bound) {
            return new Goal(Reading.SPEED, bound);
        }

        static Goal timeAtMost(double bound) {
            return new Goal(Reading.TIME, bound);
        }

        static Goal shownAsSpeed() {
            return new Goal(Reading.SPEED, null);
        }

        static Goal shownAsTime() {
            return new Goal(Reading.TIME, null);
        }

        double oriented(double timeRatio) {
            return reading == Reading.SPEED ? 1 / timeRatio : timeRatio;
        }

        private boolean isMet(double ratio) {
            return bound == null || (reading == Reading.SPEED ? ratio >= bound : ratio <= bound);
        }
    }
}
