package dev.pheromone.cli.report;

import dev.pheromone.hive.ServiceLevel;
import dev.pheromone.hive.ServiceLevel.Metric;
import dev.pheromone.hive.ServiceReport;
import dev.pheromone.hive.ServiceReport.Bucket;

import java.time.Duration;
import java.util.List;

/// How long mail took from sent to done: columns that double in width of time, so that milliseconds
/// and hours fit on one page.
final class LatencyPicture {

    private static final int WIDTH = 920;
    private static final int HEIGHT = 260;
    private static final int LEFT = 56;
    private static final int RIGHT = 20;
    private static final int TOP = 44;
    private static final int BOTTOM = 36;
    private static final int COLUMNS_MIN = 8;
    private static final int LABEL_GAP = 5;

    /// Columns beside the promises, in which their labels have room.
    private static final int COLUMNS_BEFORE = 3;

    private static final int COLUMNS_AFTER = 2;

    private final ServiceReport report;
    private final List<Bucket> buckets;
    private final double firstLog;
    private final double columnWidth;
    private final long top;

    LatencyPicture(ServiceReport report) {
        this.report = report;
        this.buckets = report.latencies();
        // Room for the promises too: a picture without its target tells little.
        this.firstLog =
                Math.min(
                        log(buckets.getFirst().from()),
                        logOf(Metric.LATENCY_P50.target()) - COLUMNS_BEFORE);
        double lastLog =
                Math.max(log(buckets.getLast().to()), logOf(Metric.LATENCY_P95.target()))
                        + COLUMNS_AFTER;
        double columns = Math.max(COLUMNS_MIN, lastLog - firstLog);
        this.columnWidth = (WIDTH - LEFT - RIGHT) / columns;
        this.top = Scale.top(buckets.stream().mapToLong(Bucket::count).max().orElse(1));
    }

    private static double log(Duration duration) {
        return Math.log(Math.max(0.5, (double) duration.toMillis())) / Math.log(2);
    }

    private static double logOf(double seconds) {
        return log(Duration.ofMillis(Math.round(seconds * 1_000)));
    }

    private double x(double seconds) {
        return LEFT + Math.max(0, logOf(seconds) - firstLog) * columnWidth;
    }

    @Override
    public String toString() {
        Svg svg = new Svg(WIDTH, HEIGHT, "How long mail took from sent to done");
        int floor = HEIGHT - BOTTOM;
        for (double part : new double[] {0.5, 1}) {
            double y = floor - part * (floor - TOP);
            svg.line("grid", LEFT, y, WIDTH - RIGHT, y);
            svg.label("axis", "end", LEFT - 8, y + 4, Figures.count(Math.round(top * part)));
        }
        for (Bucket bucket : buckets) {
            double x = LEFT + (log(bucket.from()) - firstLog) * columnWidth;
            double height = (double) bucket.count() / top * (floor - TOP);
            svg.rect(
                    "column",
                    x + 1,
                    floor - height,
                    columnWidth - 2,
                    height,
                    Figures.count(bucket.count())
                            + " took "
                            + Figures.seconds(bucket.from().toMillis() / 1e3)
                            + " to "
                            + Figures.seconds(bucket.to().toMillis() / 1e3));
        }
        svg.line("floor", LEFT, floor, WIDTH - RIGHT, floor);
        for (double seconds : new double[] {0.001, 0.01, 0.1, 1, 10, 60, 600, 3_600, 36_000}) {
            double x = x(seconds);
            if (x > LEFT && x < WIDTH - RIGHT) {
                svg.line("floor", x, floor, x, floor + 5);
                svg.label("axis", "middle", x, floor + 20, Figures.seconds(seconds));
            }
        }
        mark(svg, Metric.LATENCY_P50, "P50", TOP - 26);
        mark(svg, Metric.LATENCY_P95, "P95", TOP - 10);
        return svg.toString();
    }

    /// The value and the promise of one percentile, each with its label on the side where the other
    /// is not.
    private void mark(Svg svg, Metric metric, String name, double y) {
        ServiceLevel level = report.level(metric);
        double target = x(metric.target());
        Double value = level.value();
        boolean isBefore = value != null && x(value) < target;
        mark(svg, "target", "note", target, y, name + " " + Figures.sign(metric), !isBefore);
        if (value != null) {
            mark(svg, "value", "strong", x(value), y, name + " " + Figures.value(level), isBefore);
        }
    }

    private static void mark(
            Svg svg, String line, String label, double x, double y, String words, boolean toLeft) {
        svg.line(line, x, y + 4, x, HEIGHT - BOTTOM);
        boolean hasRoom = x - LABEL_GAP - Svg.width(words) > 0;
        svg.label(
                label,
                toLeft && hasRoom ? "end" : "start",
                toLeft && hasRoom ? x - LABEL_GAP : x + LABEL_GAP,
                y + 4,
                words);
    }
}
