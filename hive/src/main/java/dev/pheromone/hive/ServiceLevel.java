package dev.pheromone.hive;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Locale;

/// One promise of a hive, and how it was kept.
///
/// @param value in the metric's unit, or null if there is nothing to measure it by
/// @param samples how many things it was measured by
public record ServiceLevel(Metric metric, @Nullable Double value, long samples) {

    /// Whether a promise was kept.
    public enum Result {
        /// It was.
        MET,
        /// It was not.
        MISSED,
        /// Nothing happened that could tell.
        NO_DATA
    }

    /// What values are counted in.
    public enum Unit {
        /// A length of time.
        SECONDS,
        /// From 0 to 1.
        RATIO,
        /// How many there were.
        COUNT
    }

    /// What is measured, and what it has to be. The name in lower case is the name in answers.
    public enum Metric {
        /// From sent to first done, for half of the copies.
        LATENCY_P50(Unit.SECONDS, Bound.AT_MOST, Duration.ofMinutes(2).toSeconds()),
        /// From sent to first done, for all but one in twenty.
        LATENCY_P95(Unit.SECONDS, Bound.AT_MOST, Duration.ofMinutes(10).toSeconds()),
        /// Copies that somebody took before their time was over, of those that were taken or whose
        /// time is over.
        DELIVERY(Unit.RATIO, Bound.AT_LEAST, 0.99),
        /// Second effects, of all effects.
        DUPLICATES(Unit.RATIO, Bound.AT_MOST, 0.005),
        /// Facts on the disk that have their event, of all such facts.
        COVERAGE(Unit.RATIO, Bound.AT_LEAST, 0.95),
        /// Changes past the guard that an audit found.
        VIOLATIONS(Unit.COUNT, Bound.AT_MOST, 0),
        /// The longest time that an inbox was too full.
        RECOVERY(Unit.SECONDS, Bound.AT_MOST, Duration.ofMinutes(30).toSeconds()),
        /// Copies that a model saw, or somebody took, within two minutes of being sent, of those
        /// that a session was told of.
        SEEN(Unit.RATIO, Bound.AT_LEAST, 0.95);

        private enum Bound {
            AT_MOST,
            AT_LEAST
        }

        private final Unit unit;
        private final Bound bound;
        private final double target;

        Metric(Unit unit, Bound bound, double target) {
            this.unit = unit;
            this.bound = bound;
            this.target = target;
        }

        /// What its values are counted in.
        public Unit unit() {
            return unit;
        }

        /// The worst value that still keeps the promise.
        public double target() {
            return target;
        }

        /// Whether small values are the good ones.
        public boolean isCeiling() {
            return bound == Bound.AT_MOST;
        }

        /// Whether `value` keeps the promise.
        public boolean isMetBy(double value) {
            return isCeiling() ? value <= target : value >= target;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// Whether this promise was kept.
    public Result result() {
        if (value == null) {
            return Result.NO_DATA;
        }
        return metric.isMetBy(value) ? Result.MET : Result.MISSED;
    }
}
