package dev.pheromone.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.cli.report.CoursePicture.What;
import dev.pheromone.hive.ServiceLevel;
import dev.pheromone.hive.ServiceLevel.Metric;
import dev.pheromone.hive.ServiceReport;
import dev.pheromone.hive.ServiceReport.Bucket;
import dev.pheromone.hive.ServiceReport.Course;
import dev.pheromone.hive.ServiceReport.Episode;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

import java.io.StringReader;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import javax.xml.parsers.DocumentBuilderFactory;

class ServicePageTest {

    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

    private static ServiceReport report(List<Bucket> latencies, List<Course> depths) {
        List<ServiceLevel> levels = new ArrayList<>();
        for (Metric metric : Metric.values()) {
            levels.add(
                    new ServiceLevel(metric, latencies.isEmpty() ? null : 0.98, latencies.size()));
        }
        return new ServiceReport(
                NOW.minus(Duration.ofHours(24)),
                NOW,
                NOW.minus(Duration.ofHours(24)),
                levels,
                latencies,
                depths,
                depths,
                depths,
                List.of(new Episode("code", NOW.minus(Duration.ofHours(3)), null)),
                3,
                0,
                0);
    }

    private static ServiceReport full() {
        return report(
                List.of(new Bucket(Duration.ofMillis(512), Duration.ofMillis(1_024), 7)),
                List.of(
                        new Course("code", List.of(1, 5, 2)),
                        new Course("docs", List.of(0, 0, 0))));
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
                .contains("3 of 8 measured promises missed")
                .contains("<td>E2E latency, P50</td><td class=\"number\">980ms</td>")
                .contains("≥ 99 %")
                .contains("7 took 512ms to 1s")
                .contains("code was too full for 3h")
                .contains("3 sent in this time and not done yet")
                .doesNotContain(">docs<");
    }

    @Test
    void countsBesideAPictureAreRoundAndDiffer() throws Exception {
        for (long most : new long[] {1, 2, 3, 7, 996, 12_345}) {
            ServiceReport report =
                    report(
                            List.of(
                                    new Bucket(
                                            Duration.ofMillis(512),
                                            Duration.ofMillis(1_024),
                                            most)),
                            List.of());
            List<Long> counts = new ArrayList<>();
            for (Text text : texts(new LatencyPicture(report).toString())) {
                if (text.anchor().equals("end") && text.words().matches("[0-9,]+")) {
                    counts.add(Long.valueOf(text.words().replace(",", "")));
                }
            }
            assertThat(counts).as("%d", most).hasSize(2);
            assertThat(counts.get(1)).isEqualTo(2 * counts.get(0)).isGreaterThanOrEqualTo(most);
        }
    }

    /// Whatever was measured beside what was promised.
    @ParameterizedTest
    @ValueSource(
            doubles = {
                0.01, 5.9, 8.2, 59, 67, 110, 120, 130, 132, 500, 599, 600, 947, 5_000, 400_000
            })
    void labelsOfAPictureDoNotOverlap(double seconds) throws Exception {
        List<ServiceLevel> levels = new ArrayList<>();
        for (Metric metric : Metric.values()) {
            levels.add(new ServiceLevel(metric, seconds, 1));
        }
        Duration from = Duration.ofMillis(Long.highestOneBit((long) (seconds * 1_000)));
        Course long1 = new Course("operations-and-deployment", List.of(3));
        Course long2 = new Course("quality-assurance-and-review", List.of(2));
        Course long3 = new Course("research-and-development-of-ui", List.of(2));
        Course long4 = new Course("documentation-and-translation", List.of(2));
        Course long5 = new Course("governance-and-all-that-is-left", List.of(2));
        ServiceReport report =
                new ServiceReport(
                        NOW.minus(Duration.ofHours(24)),
                        NOW,
                        NOW.minus(Duration.ofMinutes(2)),
                        levels,
                        List.of(new Bucket(from, from.multipliedBy(2), 1)),
                        List.of(long1, long2, long3, long4, long5),
                        List.of(long1, new Course("code", List.of(86_400 * 23))),
                        List.of(long2),
                        List.of(new Episode("code", NOW.minus(Duration.ofHours(3)), null)),
                        0,
                        0,
                        0);
        for (String picture :
                List.of(
                        new LatencyPicture(report).toString(),
                        new CoursePicture(report, What.DEPTH).toString(),
                        new CoursePicture(report, What.OLDEST).toString(),
                        new CoursePicture(report, What.THROUGHPUT).toString())) {
            List<Text> texts = texts(picture);
            assertThat(texts).hasSizeGreaterThan(5);
            checkRoom(texts);
        }
    }

    private static void checkRoom(List<Text> texts) {
        for (Text text : texts) {
            assertThat(text.left()).as("%s", text).isGreaterThanOrEqualTo(0);
            assertThat(text.right()).as("%s", text).isLessThanOrEqualTo(920);
            for (Text other : texts) {
                assertThat(text.overlaps(other)).as("%s and %s", text, other).isFalse();
            }
        }
    }

    @Test
    void namesThatHaveRoomAreWholeAndApart() throws Exception {
        List<String> names = List.of("operations-and-deployment", "quality-assurance", "code");
        List<Course> depths = new ArrayList<>();
        names.forEach(
                name -> depths.add(new Course(name, List.of(3 * names.size() - depths.size()))));
        List<Text> texts =
                texts(new CoursePicture(report(List.of(), depths), What.DEPTH).toString());
        assertThat(texts).extracting(Text::words).containsAll(names);
        checkRoom(texts);
    }

    @Test
    void youngHiveIsDrawnFromItsFirstMail() throws Exception {
        ServiceReport old = full();
        ServiceReport young =
                new ServiceReport(
                        old.since(),
                        NOW,
                        NOW.minus(Duration.ofMinutes(2)),
                        old.levels(),
                        old.latencies(),
                        old.depths(),
                        old.oldest(),
                        old.ended(),
                        List.of(),
                        0,
                        0,
                        0);
        assertThat(texts(new CoursePicture(young, What.DEPTH).toString()))
                .extracting(Text::words)
                .contains("11:58:00", "11:59:00", "12:00:00 UTC")
                .doesNotContain("16:00");
    }

    /// A label of a picture, as wide as a browser may draw it.
    private record Text(String anchor, double x, double y, String words) {

        double left() {
            double width = Svg.width(words);
            return anchor.equals("end") ? x - width : anchor.equals("start") ? x : x - width / 2;
        }

        double right() {
            return left() + Svg.width(words);
        }

        boolean overlaps(Text other) {
            return !equals(other)
                    && Math.abs(y - other.y) < 10
                    && left() < other.right()
                    && other.left() < right();
        }
    }

    private static List<Text> texts(String svg) throws Exception {
        NodeList nodes =
                DocumentBuilderFactory.newInstance()
                        .newDocumentBuilder()
                        .parse(new InputSource(new StringReader(svg)))
                        .getElementsByTagName("text");
        List<Text> texts = new ArrayList<>();
        for (int i = 0; i < nodes.getLength(); i++) {
            Element text = (Element) nodes.item(i);
            texts.add(
                    new Text(
                            text.getAttribute("text-anchor"),
                            Double.parseDouble(text.getAttribute("x")),
                            Double.parseDouble(text.getAttribute("y")),
                            text.getTextContent()));
        }
        return texts;
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
                        List.of(new Course("<b>&\"", List.of(1))));
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
