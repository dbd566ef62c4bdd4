package dev.pheromone.rse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Priority;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.guard.LockKind;
import dev.pheromone.text.Json;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

class RseLineTest {

    private static final Instant NOW = Instant.parse("2025-10-15T17:10:00.123456789Z");
    private static final Actor ADA = new Actor("ada");
    private static final EnvelopeId ID = EnvelopeId.parse("01JBRM7XCN6E9M6KQGM6K3J3E5");
    private static final Domain INBOX = new Domain("code");
    private static final ContentHash HASH = ContentHash.of(new byte[0]);
    private static final Ttl HOUR = Ttl.parse("1h");

    static Stream<RseEvent> oneOfEachType() {
        Lane lane = Lane.CODE;
        return Stream.of(
                new RseEvent.PheromoneDrop(
                        NOW, lane, ADA, "parser", Priority.P1, "r", HOUR, List.of("x")),
                new RseEvent.PheromoneDrop(
                        NOW, lane, ADA, "parser", Priority.P1, null, null, List.of()),
                new RseEvent.PheromoneSense(NOW, lane, ADA, "r", "idle"),
                new RseEvent.PheromoneExpire(NOW, lane, ADA, ID, INBOX),
                new RseEvent.RsmEnvelopeEmit(
                        NOW,
                        lane,
                        ADA,
                        ID,
                        List.of("queen://code"),
                        Priority.P1,
                        HOUR,
                        "p.md",
                        HASH,
                        INBOX),
                new RseEvent.RsmEnvelopeRecv(NOW, lane, ADA, ID, "bob", INBOX, HASH, 1),
                new RseEvent.RsmEnvelopeDead(NOW, lane, ADA, ID.text(), INBOX, "bad signature"),
                new RseEvent.RsmEnvelopeConflict(NOW, lane, ADA, ID, INBOX, "other hash"),
                new RseEvent.RsmEnvelopeDuplicate(NOW, lane, ADA, ID, INBOX),
                new RseEvent.RsmEnvelopeReturn(
                        NOW, lane, ADA, ID, INBOX, 2, RseEvent.RsmEnvelopeReturn.Reason.LEASE),
                new RseEvent.QueenSelect(NOW, lane, ADA, ID, "P1 and oldest", INBOX, 1),
                new RseEvent.QueenSelect(NOW, lane, ADA, "r", "strongest"),
                new RseEvent.WorkerSpawn(NOW, lane, ADA, "w1", "src/", HOUR, "ada"),
                new RseEvent.WorkerAck(
                        NOW, lane, ADA, ID, RseEvent.WorkerAck.Status.DONE, null, INBOX, 1),
                new RseEvent.Backpressure(NOW, lane, ADA, INBOX, 1001, 12, "throttle"),
                new RseEvent.PolicyGuard(
                        NOW,
                        lane,
                        ADA,
                        LockKind.DNR,
                        "secret",
                        RseEvent.PolicyGuard.Mode.BLOCKED,
                        "list"),
                new RseEvent.Other(
                        NOW, "build_done", new Lane("Weather"), "a b/c", Json.obj().put("n", 1)));
    }

    private static RseEvent readBack(byte[] line) {
        assertThat(line).endsWith('\n');
        List<RseEntry> entries =
                RseLine.read(java.util.Arrays.copyOf(line, line.length - 1), 0, Instant.EPOCH);
        assertThat(entries).singleElement().isInstanceOf(RseEntry.Read.class);
        return ((RseEntry.Read) entries.getFirst()).event();
    }

    @Test
    void aLineHasExactlyTheFiveFieldsInTheirOrder() {
        var ack =
                new RseEvent.WorkerAck(
                        NOW, Lane.CODE, ADA, ID, RseEvent.WorkerAck.Status.DONE, "fine", INBOX, 1);
        assertThat(new String(RseLine.write(ack), StandardCharsets.UTF_8))
                .isEqualTo(
                        "{\"ts\":\"2025-10-15T17:10:00.123Z\",\"type\":\"worker_ack\",\"lane\":\"Code\",\"actor\":\"ada\",\"data\":{\"ref\":\"01JBRM7XCN6E9M6KQGM6K3J3E5\",\"status\":\"done\",\"notes\":\"fine\",\"inbox\":\"code\",\"attempt\":1}}\n");
    }

    @ParameterizedTest
    @MethodSource("oneOfEachType")
    void whatIsWrittenIsReadAsTheSameEvent(RseEvent event) {
        RseEvent read = readBack(RseLine.write(event));
        assertThat(read).hasSameClassAs(event);
        assertThat(read.type()).isEqualTo(event.type());
        assertThat(read.lane()).isEqualTo(event.lane());
        assertThat(read.actor()).isEqualTo(event.actor());
        assertThat(read.data()).hasToString(event.data().toString());
        assertThat(read.ts()).isEqualTo("2025-10-15T17:10:00.123Z");
    }

    @ParameterizedTest
    @CsvSource({
        "1969-12-31T23:59:59.999Z, 1969-12-31T23:59:59.999Z",
        "2024-02-29T00:00:00Z, 2024-02-29T00:00:00.000Z",
        "0000-01-01T00:00:00Z, 0000-01-01T00:00:00.000Z",
        "9999-12-31T23:59:59.9999Z, 9999-12-31T23:59:59.999Z"
    })
    void timesHaveMillisecondsAndZ(String ts, String written) {
        assertThat(RseTime.format(Instant.parse(ts))).isEqualTo(written);
    }

    @Test
    void textThatCouldBreakALineStaysInIt() {
        var drop =
                new RseEvent.PheromoneDrop(
                        NOW,
                        Lane.CODE,
                        ADA,
                        "a\nb\r\u2028\0\ud800",
                        Priority.P2,
                        null,
                        null,
                        List.of());
        byte[] line = RseLine.write(drop);
        assertThat(new String(line, StandardCharsets.UTF_8).indexOf('\n'))
                .isEqualTo(line.length - 1);
        assertThat(((RseEvent.PheromoneDrop) readBack(line)).topic())
                .isEqualTo("a\nb\r\u2028\0\ud800");
    }

    @Test
    void longNotesAreCutWithAPointer() {
        var ack =
                new RseEvent.WorkerAck(
                        NOW,
                        Lane.CODE,
                        ADA,
                        ID,
                        RseEvent.WorkerAck.Status.ERROR,
                        "trace ".repeat(10_000),
                        INBOX,
                        3);
        byte[] line = RseLine.write(ack);
        assertThat(line.length).isLessThanOrEqualTo(RseLine.WRITTEN_BYTES_MAX).isGreaterThan(4_000);
        RseEvent read = readBack(line);
        assertThat(read).isInstanceOf(RseEvent.WorkerAck.class);
        assertThat(read.key()).isEqualTo(ack.key());
        assertThat(read.data().text("notes")).startsWith("trace ").endsWith("…");
        assertThat(read.data().flag("truncated")).isTrue();
        assertThat(read.data().text("ref")).isEqualTo(ID.text());
    }

    @Test
    void dataWithoutAReferencePointsToTheHashOfTheWhole() {
        Json.Obj data = Json.obj().put("text", "x".repeat(20_000));
        var event = new RseEvent.Other(NOW, "note", Lane.DOCS, "ada", data);
        assertThat(readBack(RseLine.write(event)).data().text("ref"))
                .isEqualTo(
                        ContentHash.of(data.toString().getBytes(StandardCharsets.UTF_8))
                                .toString());
    }

    @Test
    void nothingMakesALineTooLong() {
        Json deep = Json.of("é".repeat(200));
        for (int i = 0; i < 50; i++) {
            deep =
                    Json.obj()
                            .put(
                                    "k".repeat(300),
                                    Json.arr(Collections.nCopies(2, deep)).items().size() > 9
                                            ? deep
                                            : Json.arr(deep));
        }
        Json.Obj wide = Json.obj();
        for (int i = 0; i < 2_000; i++) {
            wide = wide.put("field" + i, "\0".repeat(40));
        }
        Json.Obj controls = Json.obj();
        for (String name :
                List.of(
                        "id", "ref", "inbox", "status", "reason", "topic", "name", "lock", "path",
                        "hash")) {
            controls = controls.put(name, "\0".repeat(9_000));
        }
        for (Json.Obj data :
                List.of(
                        Json.obj().put("deep", deep),
                        wide,
                        controls,
                        Json.obj().put("n", new Json.Num("9".repeat(20_000))),
                        Json.obj().put("list", Json.texts(Collections.nCopies(9_000, "item"))),
                        Json.obj().put("\u0001".repeat(20_000), 1))) {
            var event =
                    new RseEvent.Other(
                            NOW,
                            "\0".repeat(9_000),
                            new Lane("\0x".repeat(32)),
                            "\0".repeat(9_000),
                            data);
            byte[] line = RseLine.write(event);
            assertThat(line.length).isLessThanOrEqualTo(RseLine.WRITTEN_BYTES_MAX);
            assertThat(readBack(line).data().flag("truncated")).isTrue();
        }
    }
}
