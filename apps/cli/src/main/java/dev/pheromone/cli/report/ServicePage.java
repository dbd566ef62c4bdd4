package dev.pheromone.cli.report;

import dev.pheromone.cli.report.CoursePicture.What;
import dev.pheromone.hive.ServiceLevel;
import dev.pheromone.hive.ServiceReport;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;

/// A report on service levels as one HTML file, which needs nothing but a browser.
public final class ServicePage {

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm 'UTC'", Locale.ROOT)
                    .withZone(ZoneOffset.UTC);

    /// The pictures that can be drawn alone.
    public static final List<String> PICTURES = List.of("latency", "depth", "throughput", "oldest");

    private final ServiceReport report;
    private final String hive;

    /// @param hive how its people call it
    public ServicePage(ServiceReport report, String hive) {
        this.report = report;
        this.hive = hive;
    }

    /// The text of the page.
    public String html() throws IOException {
        return """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Service levels of %1$s</title>
        <style>
        %2$s</style>
        </head>
        <body>
        <header>
        <h1>Service levels of %1$s</h1>
        <p class="%3$s">%4$s</p>
        <p>The last %5$s, until %6$s</p>
        </header>
        <section>
        <table>
        <thead><tr><th>Promise</th><th>Found</th><th>Target</th><th>Measured by</th><th></th></tr></thead>
        <tbody>
        %7$s</tbody>
        </table>
        %8$s</section>
        <section>
        <h2>E2E latency, from sent to done</h2>
        %9$s</section>
        <section>
        <h2>Waiting mail</h2>
        %10$s</section>
        <section>
        <h2>The oldest waiting mail</h2>
        %11$s</section>
        <section>
        <h2>Mail that came to its end</h2>
        %12$s</section>
        </body>
        </html>
        """
                .formatted(
                        Svg.escaped(hive),
                        style(),
                        "verdict " + look(report),
                        verdict(report),
                        Figures.seconds(
                                (double)
                                        Duration.between(report.since(), report.until())
                                                .toSeconds()),
                        TIME.format(report.until()),
                        rows(),
                        notes(),
                        latencies(),
                        course(What.DEPTH),
                        course(What.OLDEST),
                        course(What.THROUGHPUT));
    }

    /// `all promises kept`, or how many were not.
    public static String verdict(ServiceReport report) {
        long measured =
                report.levels().stream()
                        .filter(level -> level.result() != ServiceLevel.Result.NO_DATA)
                        .count();
        if (measured == 0) {
            return "nothing to measure yet";
        }
        return report.missed() == 0
                ? "all " + measured + " measured promises kept"
                : report.missed() + " of " + measured + " measured promises missed";
    }

    private static String look(ServiceReport report) {
        if (report.missed() > 0) {
            return "missed";
        }
        return report.levels().stream()
                        .allMatch(level -> level.result() == ServiceLevel.Result.NO_DATA)
                ? "unknown"
                : "met";
    }

    private String rows() {
        StringBuilder rows = new StringBuilder();
        for (ServiceLevel level : report.levels()) {
            String result =
                    switch (level.result()) {
                        case MET -> "met";
                        case MISSED -> "missed";
                        case NO_DATA -> "no data";
                    };
            rows.append("<tr><td>")
                    .append(Svg.escaped(Figures.name(level.metric())))
                    .append("</td><td class=\"number\">")
                    .append(Svg.escaped(Figures.value(level)))
                    .append("</td><td class=\"number\">")
                    .append(Figures.sign(level.metric()))
                    .append("</td><td class=\"number\">")
                    .append(Figures.count(level.samples()))
                    .append("</td><td><span class=\"result ")
                    .append(result.replace(' ', '-'))
                    .append("\">")
                    .append(result)
                    .append("</span></td></tr>\n");
        }
        return rows.toString();
    }

    private String notes() {
        StringBuilder notes = new StringBuilder();
        note(notes, report.open(), "sent in this time and not done yet");
        note(notes, report.withheld(), "kept in the embargo by a lock, and counted nowhere above");
        note(notes, report.unreadable(), "lines of the log that are not events");
        return notes.isEmpty() ? "" : "<p class=\"notes\">" + notes + "</p>\n";
    }

    private static void note(StringBuilder notes, long count, String what) {
        if (count > 0) {
            notes.append(notes.isEmpty() ? "" : " · ")
                    .append(Figures.count(count))
                    .append(' ')
                    .append(what);
        }
    }

    private String latencies() {
        return report.latencies().isEmpty()
                ? "<p class=\"notes\">Nothing was sent and done in this time.</p>\n"
                : new LatencyPicture(report).toString();
    }

    /// One of [#PICTURES], which needs nothing but a browser.
    public String picture(String name) throws IOException {
        String found =
                name.equals("latency")
                        ? latencies()
                        : course(What.valueOf(name.toUpperCase(Locale.ROOT)));
        String drawn =
                found.startsWith("<svg ")
                        ? found
                        : Svg.saying("Nothing was there to measure in this time.");
        return Svg.alone(drawn, style());
    }

    private String course(What what) {
        CoursePicture picture = new CoursePicture(report, what);
        return picture.isEmpty()
                ? "<p class=\"notes\">" + what.nothing() + "</p>\n"
                : picture.toString();
    }

    private static String style() throws IOException {
        try (InputStream in = ServicePage.class.getResourceAsStream("page.css")) {
            if (in == null) {
                throw new IllegalStateException("page.css is not in the program");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
