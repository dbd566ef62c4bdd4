package dev.pheromone.cli.report;

import dev.pheromone.hive.ServiceLevel;
import dev.pheromone.hive.ServiceLevel.Metric;

import java.util.Locale;

/// Measured values as people write them.
public final class Figures {

    private static final int MINUTE_S = 60;
    private static final int HOUR_S = 3_600;
    private static final int DAY_S = 86_400;

    private Figures() {}

    /// What the specification calls a metric.
    public static String name(Metric metric) {
        return switch (metric) {
            case LATENCY_P50 -> "E2E latency, P50";
            case LATENCY_P95 -> "E2E latency, P95";
            case DELIVERY -> "delivery ratio";
            case DUPLICATES -> "duplicates";
            case COVERAGE -> "observability coverage";
            case VIOLATIONS -> "policy violations";
            case RECOVERY -> "backpressure recovery";
            case SEEN -> "seen within 2m";
        };
    }

    /// The value of a level: `1.2s`, `99.4 %`, `0`, or `-` if there is none.
    public static String value(ServiceLevel level) {
        Double value = level.value();
        return value == null ? "-" : text(level.metric(), value);
    }

    /// What the value may be at worst: `<= 2m`.
    public static String target(Metric metric) {
        return (metric.isCeiling() ? "<= " : ">= ") + text(metric, metric.target());
    }

    /// The same with the signs of print: `≤ 2m`.
    static String sign(Metric metric) {
        return (metric.isCeiling() ? "≤ " : "≥ ") + text(metric, metric.target());
    }

    private static String text(Metric metric, double value) {
        return switch (metric.unit()) {
            case SECONDS -> seconds(value);
            case RATIO -> percent(value, metric.isMetBy(value));
            case COUNT -> count((long) value);
        };
    }

    /// `35ms`, `1.2s`, `3m20s`, `5h10m`, `2d3h`.
    public static String seconds(double value) {
        if (value < 1) {
            return Math.round(value * 1_000) + "ms";
        }
        if (value < MINUTE_S) {
            return trimmed("%.1f", value) + "s";
        }
        long whole = Math.round(value);
        if (whole < HOUR_S) {
            return two(whole / MINUTE_S, "m", whole % MINUTE_S, "s");
        }
        return whole < DAY_S
                ? two(whole / HOUR_S, "h", whole % HOUR_S / MINUTE_S, "m")
                : two(whole / DAY_S, "d", whole % DAY_S / HOUR_S, "h");
    }

    private static String two(long large, String largeUnit, long small, String smallUnit) {
        return large + largeUnit + (small == 0 ? "" : small + smallUnit);
    }

    /// With as many digits as it takes not to look like the other side of a target: 98.996 % is not
    /// 99 %.
    private static String percent(double value, boolean isMet) {
        double rounded = Math.round(value * 1_000) / 10.0;
        boolean isExact = Math.abs(rounded - value * 100) < 1e-9;
        return trimmed(isMet || isExact ? "%.1f" : "%.3f", value * 100) + " %";
    }

    /// `1,204`.
    public static String count(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    private static String trimmed(String format, double value) {
        String text = String.format(Locale.ROOT, format, value);
        return text.contains(".") ? text.replaceAll("\\.?0+$", "") : text;
    }
}
