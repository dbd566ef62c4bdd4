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
    private static final int LABEL_WIDTH = 90;

    private final ServiceReport report;
    private final List<Bucket> buckets;
    private final double firstLog;
    private final double columnWidth;
    private final long most;

    LatencyPicture(ServiceReport report) {
        this.report = report;
        this.buckets = report.latencies();
        this.firstLog = log(buckets.getFirst().from());
        // Room for the promises too: a picture without its target tells little.
        double lastLog =
                Math.max(
                        log(buckets.getLast().to()),
                        log(Duration.ofSeconds((long) Metric.LATENCY_P95.target())) + 1);
        double columns = Math.max(COLUMNS_MIN, lastLog - firstLog);
        this.columnWidth = (WIDTH - LEFT - RIGHT) / columns;
        this.most = buckets.stream().mapToLong(Bucket::count).max().orElse(1);
    }

    private static double log(Duration duration) {
        return Math.log(Math.max(0.5, (double) duration.toMillis())) / Math.log(2);
    }

    private double x(double seconds) {
        double log = Math.log(Math.max(0.5, seconds * 1_000)) / Math.log(2);
        return LEFT + Math.max(0, log - firstLog) * columnWidth;
    }

    @Override
    public String toString() {
        Svg svg = new Svg(WIDTH, HEIGHT, "How long mail took from sent to done");
        int floor = HEIGHT - BOTTOM;
        for (double part : new double[] {0.5, 1}) {
            double y = floor - part * (floor - TOP);
            svg.line("grid", LEFT, y, WIDTH - RIGHT, y);
            svg.label("axis", "end", LEFT - 8, y + 4, Figures.count(Math.round(most * part)));
        }
        for (Bucket bucket : buckets) {
            double x = LEFT + (log(bucket.from()) - firstLog) * columnWidth;
            double height = (double) bucket.count() / most * (floor - TOP);
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
        mark(svg, Metric.LATENCY_P50, "half", TOP - 26);
        mark(svg, Metric.LATENCY_P95, "95 %", TOP - 10);
        return svg.toString();
    }

    /// The value and the promise of one percentile.
    private void mark(Svg svg, Metric metric, String name, double y) {
        ServiceLevel level = report.level(metric);
        int floor = HEIGHT - BOTTOM;
        double target = x(metric.target());
        svg.line("target", target, y + 4, target, floor);
        Double value = level.value();
        // The value's label stands to its right: where that is the target's place, it gives way.
        boolean isClose = value != null && x(value) < target && target - x(value) < 2 * LABEL_WIDTH;
        svg.label(
                "note",
                isClose ? "start" : "end",
                target + (isClose ? 5 : -5),
                y + 4,
                name + " " + Figures.sign(metric));
        if (value != null) {
            double x = x(value);
            svg.line("value", x, y + 4, x, floor);
            boolean isNearTheEdge = x > WIDTH - RIGHT - LABEL_WIDTH;
            svg.label(
                    "strong",
                    isNearTheEdge ? "end" : "start",
                    x + (isNearTheEdge ? -5 : 5),
                    y + 4,
                    name + " " + Figures.value(level));
        }
    }
}
