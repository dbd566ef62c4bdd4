package dev.pheromone.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.hive.ServiceLevel;
import dev.pheromone.hive.ServiceLevel.Metric;
import dev.pheromone.hive.ServiceReport;
import dev.pheromone.hive.ServiceReport.Bucket;
import dev.pheromone.hive.ServiceReport.Depth;
import dev.pheromone.hive.ServiceReport.Episode;

import org.junit.jupiter.api.Test;
import org.xml.sax.InputSource;

import java.io.StringReader;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import javax.xml.parsers.DocumentBuilderFactory;

class ServicePageTest {

    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

    private static ServiceReport report(List<Bucket> latencies, List<Depth> depths) {
        List<ServiceLevel> levels = new ArrayList<>();
        for (Metric metric : Metric.values()) {
            levels.add(
                    new ServiceLevel(metric, latencies.isEmpty() ? null : 0.98, latencies.size()));
        }
        return new ServiceReport(
                NOW.minus(Duration.ofHours(24)),
                NOW,
                levels,
                latencies,
                depths,
                List.of(new Episode("code", NOW.minus(Duration.ofHours(3)), null)),
                3,
                0,
                0);
    }

    private static ServiceReport full() {
        return report(
                List.of(new Bucket(Duration.ofMillis(512), Duration.ofMillis(1_024), 7)),
                List.of(new Depth("code", List.of(1, 5, 2)), new Depth("docs", List.of(0, 0, 0))));
    }

    /// Everything that is drawn is well-formed: browsers forgive, other readers don't.
    private static void checkPictures(String html) throws Exception {
        for (String part : html.split("(?=<svg)", -1)) {
            if (part.startsWith("<svg")) {
                String svg = part.substring(0, part.indexOf("</svg>") + "</svg>".length());
                assertThat(
                                DocumentBuilderFactory.newInstance()
                                        .newDocumentBuilder()
                                        .parse(new InputSource(new StringReader(svg)))
                                        .getDocumentElement()
                                        .getTagName())
                        .isEqualTo("svg");
            }
        }
    }

    @Test
    void showsEveryPromiseWithWhatWasFound() throws Exception {
        String html = new ServicePage(full(), "hive").html();
        checkPictures(html);
        assertThat(html)
                .contains("3 of 7 measured promises missed")
                .contains("<td>sent to done, half of them</td><td class=\"number\">980ms</td>")
                .contains("≥ 99 %")
                .contains("7 took 512ms to 1s")
                .contains("code was too full for 3h")
                .contains("3 sent in this time and not done yet")
                .doesNotContain(">docs<");
    }

    @Test
    void needsNothingFromElsewhere() throws Exception {
        assertThat(new ServicePage(full(), "hive").html())
                .doesNotContain("http")
                .doesNotContain("<script");
    }

    @Test
    void emptyHiveHasAPageToo() throws Exception {
        assertThat(new ServicePage(report(List.of(), List.of()), "hive").html())
                .contains("nothing to measure yet")
                .contains("Nothing was sent and done in this time.")
                .contains("Nothing waited in this time.");
    }

    @Test
    void foreignNamesAreText() throws Exception {
        ServiceReport report =
                report(
                        List.of(new Bucket(Duration.ZERO, Duration.ofMillis(1), 1)),
                        List.of(new Depth("<b>&\"", List.of(1))));
        String html = new ServicePage(report, "<script>").html();
        checkPictures(html);
        assertThat(html).doesNotContain("<script>").doesNotContain("<b>");
    }

    @Test
    void figuresNeverLookBetterThanTheyAre() {
        assertThat(Figures.value(new ServiceLevel(Metric.DELIVERY, 0.98996, 1)))
                .isEqualTo("98.996 %");
        assertThat(Figures.value(new ServiceLevel(Metric.DELIVERY, 0.9921, 1))).isEqualTo("99.2 %");
        assertThat(Figures.seconds(0.0351)).isEqualTo("35ms");
        assertThat(Figures.seconds(200)).isEqualTo("3m20s");
        assertThat(Figures.seconds(90_000)).isEqualTo("1d1h");
    }
}
