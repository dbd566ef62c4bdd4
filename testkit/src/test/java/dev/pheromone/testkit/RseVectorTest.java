package dev.pheromone.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.rse.RseEntry;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseLine;
import dev.pheromone.rse.RseLines;
import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

class RseVectorTest {

    /// A prime, so that chunks end at every kind of place.
    private static final int CHUNK_BYTES = 61;

    @TestFactory
    Stream<DynamicTest> logs() {
        return CaseTests.of("rse", RseVectorTest::check);
    }

    @TestFactory
    Stream<DynamicTest> logsReadInSmallChunks() {
        return CaseTests.of(
                "rse",
                vector ->
                        assertThat(entries(vector, CHUNK_BYTES))
                                .isEqualTo(entries(vector, vector.content().length)));
    }

    @TestFactory
    Stream<DynamicTest> eventsWrittenAgainAreTheSame() {
        return CaseTests.of("rse", RseVectorTest::checkWrittenAgain);
    }

    private static void check(Vector vector) throws MalformedJsonException {
        RseLines lines = new RseLines(0);
        byte[] content = vector.content();
        List<RseEntry> entries = new ArrayList<>(lines.feed(content, content.length));
        entries.addAll(lines.rest());
        List<RseEntry.Read> read = read(entries);

        Map<String, String> found = new LinkedHashMap<>();
        found.put("events", String.valueOf(read.size()));
        found.put("bad", String.valueOf(entries.size() - read.size()));
        found.put("torn", lines.held() > 0 ? "1" : "0");
        found.put("types", joined(read, RseEvent::type));
        found.put("actors", joined(read, RseEvent::actor));
        if (read.size() == 1) {
            RseEvent event = read.getFirst().event();
            found.put("type", event.type());
            found.put("lane", event.lane().name());
            found.put("actor", event.actor());
            found.put("ts", read.getFirst().timeKnown() ? event.ts().toString() : "unknown");
            if (vector.find("data").isPresent()) {
                assertThat(event.data()).isEqualTo(Json.parse(vector.get("data")));
            }
        }
        CaseTests.assertKeys(vector.without("data"), found);
    }

    /// Whatever was read can be written, to the millisecond, and is then read as the same.
    private static void checkWrittenAgain(Vector vector) {
        for (RseEntry.Read read : read(entries(vector, vector.content().length))) {
            byte[] line = RseLine.write(read.event());
            List<RseEntry.Read> again = read(new RseLines(0).feed(line, line.length));
            assertThat(again).hasSize(1);
            RseEvent event = again.getFirst().event();
            assertThat(event.type()).isEqualTo(read.event().type());
            assertThat(event.lane()).isEqualTo(read.event().lane());
            assertThat(event.actor()).isEqualTo(read.event().actor());
            assertThat(event.ts().toEpochMilli()).isEqualTo(read.event().ts().toEpochMilli());
            if (!event.data().has("truncated")) {
                assertThat(event.data()).isEqualTo(read.event().data());
            }
        }
    }

    private static List<RseEntry> entries(Vector vector, int chunkBytes) {
        byte[] content = vector.content();
        RseLines lines = new RseLines(0);
        List<RseEntry> entries = new ArrayList<>();
        for (int from = 0; from < content.length; from += chunkBytes) {
            int length = Math.min(chunkBytes, content.length - from);
            byte[] chunk = new byte[length];
            System.arraycopy(content, from, chunk, 0, length);
            entries.addAll(lines.feed(chunk, length));
        }
        entries.addAll(lines.rest());
        return entries;
    }

    private static List<RseEntry.Read> read(List<RseEntry> entries) {
        return entries.stream()
                .filter(RseEntry.Read.class::isInstance)
                .map(RseEntry.Read.class::cast)
                .toList();
    }

    private static String joined(List<RseEntry.Read> read, Function<RseEvent, String> part) {
        return String.join(" ", read.stream().map(entry -> part.apply(entry.event())).toList());
    }
}
