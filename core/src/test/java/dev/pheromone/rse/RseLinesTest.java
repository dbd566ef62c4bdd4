package dev.pheromone.rse;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

class RseLinesTest {

    private static final String A = "{\"ts\":\"2025-10-15T17:10:00Z\",\"type\":\"a\"}";
    private static final String NO_TIME = "{\"ts\":\"\",\"type\":\"b\"}";

    private static List<RseEntry> feed(RseLines lines, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return lines.feed(bytes, bytes.length);
    }

    @Test
    void anUnfinishedLastLineIsHeldBackUntilItEnds() {
        var lines = new RseLines(0);
        assertThat(feed(lines, A + "\n" + A.substring(0, 20))).hasSize(1);
        assertThat(lines.held()).isEqualTo(20);
        assertThat(lines.offset()).isEqualTo(A.length() + 1);
        assertThat(feed(lines, A.substring(20))).isEmpty();
        assertThat(feed(lines, "\n"))
                .singleElement()
                .satisfies(entry -> assertThat(entry.offset()).isEqualTo(A.length() + 1));
        assertThat(lines.held()).isZero();
    }

    @Test
    void aWholeLastLineIsGivenOnRequestThoughItsLineEndIsMissing() {
        var lines = new RseLines(0);
        assertThat(feed(lines, A)).isEmpty();
        assertThat(lines.rest()).singleElement().isInstanceOf(RseEntry.Read.class);
        assertThat(lines.held()).isZero();
        assertThat(lines.rest()).isEmpty();
        assertThat(feed(lines, "\n" + A + "\n")).hasSize(1);
    }

    @Test
    void anUnfinishedLastLineIsNotGivenOnRequest() {
        var lines = new RseLines(0);
        assertThat(feed(lines, A + "\n" + A.substring(0, 20))).hasSize(1);
        assertThat(lines.rest()).isEmpty();
        assertThat(lines.held()).isEqualTo(20);
        assertThat(feed(lines, A.substring(20))).isEmpty();
        assertThat(lines.rest()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 64, 500, 100_000})
    void linesThatATestLeavesOutAreTestedTogetherAndNoOtherIsLeftOut(int size) {
        StringBuilder text = new StringBuilder();
        List<Integer> wanted = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            if (i % 40 == 7) {
                wanted.add(text.length());
            }
            text.append(A.replace("\"a\"", i % 40 == 7 ? "\"needle\"" : "\"a\"")).append('\n');
        }
        byte[] log = text.append(A).toString().getBytes(StandardCharsets.UTF_8);
        int[] tests = {0};
        RseLines.Test test =
                (bytes, from, to) -> {
                    tests[0]++;
                    return new String(bytes, from, to - from, StandardCharsets.UTF_8)
                            .contains("needle");
                };
        var lines = new RseLines(0);
        List<RseEntry> found = new ArrayList<>();
        for (int at = 0; at < log.length; at += size) {
            byte[] chunk = Arrays.copyOfRange(log, at, Math.min(log.length, at + size));
            found.addAll(lines.feed(chunk, chunk.length, test));
        }
        assertThat(found).extracting(entry -> (int) entry.offset()).isEqualTo(wanted);
        assertThat(lines.offset()).isEqualTo(log.length - A.length());
        assertThat(lines.held()).isEqualTo(A.length());
        if (size == 500) {
            assertThat(tests[0]).isLessThan(200);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 64, 100_000})
    void theSizeOfTheChunksDoesNotMatter(int size) {
        byte[] log =
                ("\ufeff" + A + "\r\n\n\ufeff[" + A + "," + A + "]\nbad\n" + NO_TIME + "\n" + A)
                        .getBytes(StandardCharsets.UTF_8);
        var lines = new RseLines(0);
        var entries = new ArrayList<RseEntry>();
        for (int at = 0; at < log.length; at += size) {
            byte[] chunk = Arrays.copyOfRange(log, at, Math.min(log.length, at + size));
            entries.addAll(lines.feed(chunk, chunk.length));
        }
        var whole = new RseLines(0);
        assertThat(entries).isEqualTo(whole.feed(log, log.length)).hasSize(5);
        assertThat(lines.held()).isEqualTo(A.length());
    }

    @Test
    void anEventWithoutATimeHasThatOfTheEventBefore() {
        var lines = new RseLines(0);
        List<RseEntry> entries = feed(lines, NO_TIME + "\n" + A + "\n" + NO_TIME + "\n");
        assertThat(entries)
                .extracting(entry -> ((RseEntry.Read) entry).event().ts())
                .containsExactly(
                        Instant.EPOCH,
                        Instant.parse("2025-10-15T17:10:00Z"),
                        Instant.parse("2025-10-15T17:10:00Z"));
    }

    @Test
    void aLineThatIsTooLongIsBadAndTheNextIsRead() {
        var lines = new RseLines(0);
        byte[] long64K = "x".repeat(65_536).getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < 40; i++) {
            assertThat(lines.feed(long64K, long64K.length)).isEmpty();
        }
        List<RseEntry> entries = feed(lines, "\n" + A + "\n");
        assertThat(entries).hasSize(2);
        RseEntry.Bad bad = (RseEntry.Bad) entries.getFirst();
        assertThat(bad.reason()).isEqualTo("line has 2621441 bytes, expected at most 1048576");
        assertThat(bad.excerpt()).hasSize(80);
        assertThat(bad.end()).isEqualTo(entries.get(1).offset()).isEqualTo(2_621_441);
    }

    @Test
    void timesOutOfOrderAreLeftAsTheyAre() {
        var lines = new RseLines(0);
        assertThat(
                        feed(
                                lines,
                                A
                                        + "\n"
                                        + A.replace("2025", "2031")
                                        + "\n"
                                        + A.replace("2025", "1999")
                                        + "\n"
                                        + A
                                        + "\n"))
                .extracting(
                        entry -> ((RseEntry.Read) entry).event().ts().toString().substring(0, 4))
                .containsExactly("2025", "2031", "1999", "2025");
    }
}
