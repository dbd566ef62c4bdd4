package dev.pheromone.cli.report;

import dev.pheromone.hive.ServiceReport;
import dev.pheromone.hive.ServiceReport.Course;
import dev.pheromone.hive.ServiceReport.Episode;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/// A figure of those inboxes over time in which it was highest, and when one was too full.
final class CoursePicture {

    /// More lines than this can't be told apart.
    static final int INBOXES_MAX = 5;

    private static final int WIDTH = 920;
    private static final int HEIGHT = 280;
    private static final int LEFT = 56;
    private static final int RIGHT = 20;
    private static final int TOP = 40;
    private static final int BOTTOM = 36;
    private static final int TIMES = 6;
    private static final int LEGEND_MARK = 24;
    private static final int LEGEND_GAP = 24;
    private static final String TOO_FULL = "too full";

    private final ServiceReport report;
    private final What what;
    private final List<Course> busiest;
    private final long top;

    /// What is drawn.
    enum What {
        DEPTH("How much waited, over time", "Nothing waited") {
            @Override
            List<Course> of(ServiceReport report) {
                return report.depths();
            }

            @Override
            String label(long value) {
                return Figures.count(value);
            }
        },
        OLDEST("How long the oldest had waited, over time", "Nothing waited") {
            @Override
            List<Course> of(ServiceReport report) {
                return report.oldest();
            }

            @Override
            String label(long value) {
                return Figures.seconds((double) value);
            }
        },
        THROUGHPUT("How much came to its end, over time", "Nothing came to its end") {
            @Override
            List<Course> of(ServiceReport report) {
                return report.ended();
            }

            @Override
            String label(long value) {
                return Figures.count(value);
            }
        };

        private final String title;
        private final String nothing;

        What(String title, String nothing) {
            this.title = title;
            this.nothing = nothing;
        }

        /// What is said in the place of a picture with nothing in it.
        String nothing() {
            return nothing + " in this time.";
        }

        abstract List<Course> of(ServiceReport report);

        abstract String label(long value);
    }

    CoursePicture(ServiceReport report, What what) {
        this.report = report;
        this.what = what;
        this.busiest =
                what.of(report).stream()
                        .filter(course -> highest(course) > 0)
                        .sorted(Comparator.comparingInt(CoursePicture::highest).reversed())
                        .limit(INBOXES_MAX)
                        .toList();
        this.top = Scale.top(busiest.isEmpty() ? 1 : highest(busiest.getFirst()));
    }

    boolean isEmpty() {
        return busiest.isEmpty();
    }

    private static int highest(Course course) {
        return Collections.max(course.values());
    }

    private double x(Instant at) {
        double whole = Duration.between(report.drawnFrom(), report.until()).toMillis();
        double part = Duration.between(report.drawnFrom(), at).toMillis() / Math.max(1, whole);
        return LEFT + Math.clamp(part, 0, 1) * (WIDTH - LEFT - RIGHT);
    }

    private double y(double value) {
        int floor = HEIGHT - BOTTOM;
        return floor - value / top * (floor - TOP);
    }

    @Override
    public String toString() {
        Svg svg = new Svg(WIDTH, HEIGHT, what.title);
        int floor = HEIGHT - BOTTOM;
        for (Episode episode : report.episodes()) {
            Instant to = episode.to();
            double from = x(episode.from());
            svg.rect(
                    "full",
                    from,
                    TOP,
                    Math.max(2, x(to == null ? report.until() : to) - from),
                    floor - TOP,
                    episode.inbox()
                            + " was too full for "
                            + Figures.seconds(episode.length(report.until()).toMillis() / 1e3));
        }
        for (int part = 1; part <= 2; part++) {
            svg.line("grid", LEFT, y(top * part / 2.0), WIDTH - RIGHT, y(top * part / 2.0));
            svg.label(
                    "axis",
                    "end",
                    LEFT - 8,
                    y(top * part / 2.0) + 4,
                    what.label(Math.round(top * part / 2.0)));
        }
        double legend = LEFT;
        for (int i = 0; i < busiest.size(); i++) {
            Course course = busiest.get(i);
            svg.path("line line" + i, points(course));
            svg.line("line line" + i, legend, TOP - 22, legend + 18, TOP - 22);
            String name = legendName(course.inbox());
            svg.label("note", "start", legend + LEGEND_MARK, TOP - 18, name);
            legend += LEGEND_MARK + Svg.width(name) + LEGEND_GAP;
        }
        if (!report.episodes().isEmpty()) {
            svg.rect("full", legend, TOP - 28, 18, 12, TOO_FULL);
            svg.label("note", "start", legend + LEGEND_MARK, TOP - 18, TOO_FULL);
        }
        svg.line("floor", LEFT, floor, WIDTH - RIGHT, floor);
        times(svg, floor);
        return svg.toString();
    }

    /// An inbox's name, cut if not all of them fit side by side.
    private String legendName(String inbox) {
        double whole = LEGEND_MARK + Svg.width(TOO_FULL);
        for (Course course : busiest) {
            whole += LEGEND_MARK + Svg.width(course.inbox()) + LEGEND_GAP;
        }
        int places = WIDTH - LEFT - RIGHT;
        double room = (double) places / (busiest.size() + 1) - LEGEND_MARK - LEGEND_GAP;
        String name = inbox;
        while (whole > places && Svg.width(name) > room && name.length() > 2) {
            name = name.substring(0, name.length() - 2) + "…";
        }
        return name;
    }

    private String points(Course course) {
        StringBuilder points = new StringBuilder();
        double width = (double) (WIDTH - LEFT - RIGHT) / course.values().size();
        for (int i = 0; i < course.values().size(); i++) {
            String y = Svg.number(y(course.values().get(i)));
            points.append(i == 0 ? "M" : "L")
                    .append(Svg.number(LEFT + i * width))
                    .append(' ')
                    .append(y)
                    .append('H')
                    .append(Svg.number(LEFT + (i + 1) * width));
        }
        return points.toString();
    }

    private void times(Svg svg, int floor) {
        Duration whole = Duration.between(report.drawnFrom(), report.until());
        DateTimeFormatter format =
                DateTimeFormatter.ofPattern(
                                whole.toDays() > 2
                                        ? "d MMM"
                                        : whole.toMinutes() < 10 ? "HH:mm:ss" : "HH:mm",
                                Locale.ROOT)
                        .withZone(ZoneOffset.UTC);
        for (int i = 0; i <= TIMES; i++) {
            Instant at = report.drawnFrom().plus(whole.multipliedBy(i).dividedBy(TIMES));
            String anchor = i == 0 ? "start" : i == TIMES ? "end" : "middle";
            svg.line("floor", x(at), floor, x(at), floor + 5);
            String zone = i == TIMES && whole.toDays() <= 2 ? " UTC" : "";
            svg.label("axis", anchor, x(at), floor + 20, format.format(at) + zone);
        }
    }
}
