package dev.pheromone.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.address.Lane;
import dev.pheromone.address.Reach;
import dev.pheromone.rse.Cursor;
import dev.pheromone.rse.Disclosure;
import dev.pheromone.rse.RseEntry;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseLog;
import dev.pheromone.rse.RseReading;
import dev.pheromone.text.Json;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What the hub has read reaches its followers, whatever happens to the log in between.
final class EventHubTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int LINE = 10;

    /// A log of lines that are all as long, which can be begun anew and can fail at a place.
    static final class Lines implements RseLog {

        private final List<String> lines = new ArrayList<>();
        private int generation;
        private int failAt = -1;
        private Exception failure = new IOException("a lock");

        synchronized void add(String... more) {
            lines.addAll(List.of(more));
        }

        synchronized void rotate(String... more) {
            lines.clear();
            generation++;
            add(more);
        }

        synchronized void failOnceAt(int line, Exception how) {
            failAt = line;
            failure = how;
        }

        synchronized Cursor at(int line) {
            return Cursor.at(
                    (long) line * LINE,
                    ("log " + generation).getBytes(StandardCharsets.UTF_8),
                    new byte[0]);
        }

        @Override
        public void append(RseEvent event, Durability durability) {
            throw new AssertionError("a hub only reads");
        }

        @Override
        public void append(List<? extends RseEvent> events, Durability durability) {
            throw new AssertionError("a hub only reads");
        }

        @Override
        public synchronized RseReading read(Cursor from) {
            int line = (int) (from.offset() / LINE);
            boolean same = at(line).equals(from);
            return new Walk(same ? line : 0, same ? generation : -1);
        }

        @Override
        public void close() {}

        private final class Walk implements RseReading {

            private int line;
            private int seen;

            Walk(int line, int seen) {
                this.line = line;
                this.seen = seen;
            }

            @Override
            public Optional<RseEntry> next() {
                synchronized (Lines.this) {
                    if (seen != generation) {
                        seen = generation;
                        line = 0;
                        return Optional.of(new RseEntry.Restart("another log"));
                    }
                    if (line == lines.size()) {
                        return Optional.empty();
                    }
                    line++;
                    return Optional.of(
                            new RseEntry.Read(
                                    (line - 1L) * LINE,
                                    (long) line * LINE,
                                    RseEvent.of(
                                            Instant.EPOCH,
                                            "tick",
                                            Lane.CODE,
                                            "ada",
                                            Json.obj().put("name", lines.get(line - 1))),
                                    true));
                }
            }

            @Override
            public Optional<RseEntry> next(Duration wait) {
                return next();
            }

            @Override
            public Cursor cursor() throws IOException {
                synchronized (Lines.this) {
                    if (line == failAt) {
                        failAt = -1;
                        switch (failure) {
                            case IOException e -> throw e;
                            case RuntimeException e -> throw e;
                            default -> throw new AssertionError(failure);
                        }
                    }
                    return at(line);
                }
            }

            @Override
            public long held() {
                return 0;
            }

            @Override
            public void close() {}
        }
    }

    private final Lines log = new Lines();
    private final EventHub hub = new EventHub(log, new Disclosure(Reach.TEAM), 100);

    @AfterEach
    void close() {
        hub.close();
    }

    /// What comes from number `next` on, until `last` is among it.
    private List<String> until(String last, long next) throws Exception {
        List<String> got = new ArrayList<>();
        long from = next;
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!(got.contains(last) || System.nanoTime() > end)) {
            EventHub.Batch batch = hub.take(from, Duration.ofMillis(100));
            from = batch.next();
            for (EventFrame frame : batch.frames()) {
                got.add(name(frame));
            }
        }
        return got;
    }

    private static String name(EventFrame frame) {
        String text = new String(frame.bytes(), StandardCharsets.UTF_8);
        return text.contains("event: restart")
                ? "restart"
                : text.replaceFirst("(?s).*\"name\":\"([^\"]*)\".*", "$1");
    }

    private EventHub.Place end() throws Exception {
        return hub.end(PATIENCE).orElseThrow();
    }

    @Test
    void whatWasReadBeforeAFailureIsNotLost() throws Exception {
        EventHub.Place place = end();
        log.failOnceAt(3, new IOException("a lock"));
        log.add("a", "b", "c", "d");
        assertThat(until("d", place.next())).containsExactly("a", "b", "c", "d");
    }

    @Test
    void aDefectInAnEntryDoesNotEndTheHub() throws Exception {
        EventHub.Place place = end();
        log.failOnceAt(2, new IllegalStateException("a defect"));
        log.add("a", "b", "c");
        assertThat(until("c", place.next())).containsExactly("a", "b", "c");
    }

    @Test
    void aNewLogIsReadFromItsBeginningAfterAFailureToo() throws Exception {
        log.add("old");
        EventHub.Place place = end();
        log.failOnceAt(1, new IOException("a lock"));
        log.rotate("a", "b");
        assertThat(until("b", place.next())).containsExactly("restart", "a", "b");
    }

    @Test
    void whoHasReadAnOlderLogGoesOnAlone() throws Exception {
        log.add("a", "b", "c");
        EventHub.Place place = end();
        Cursor old = log.at(3);
        assertThat(hub.join(old)).isPresent();
        log.rotate("w", "x", "y", "z");
        until("z", place.next());
        assertThat(hub.join(old)).isEmpty();
        assertThat(hub.join(log.at(5))).isEmpty();
    }

    @Test
    void whoIsAtAPlaceOfTheHubGetsWhatFollowsThere() throws Exception {
        EventHub.Place place = end();
        log.add("a", "b", "c");
        until("c", place.next());
        assertThat(until("c", hub.join(Cursor.START).orElseThrow().next()))
                .containsExactly("a", "b", "c");
        assertThat(until("c", hub.join(log.at(2)).orElseThrow().next())).containsExactly("c");
        log.rotate("x", "y", "z");
        until("z", place.next());
        assertThat(until("z", hub.join(Cursor.START).orElseThrow().next()))
                .containsExactly("x", "y", "z");
        assertThat(until("z", hub.join(log.at(1)).orElseThrow().next())).containsExactly("y", "z");
        assertThat(hub.join(log.at(3)).orElseThrow().next()).isEqualTo(place.next() + 7);
    }

    @Test
    void whatHasLeftTheRingIsReadAlone() throws Exception {
        EventHub.Place place = end();
        for (int i = 0; i < 150; i++) {
            log.add("n" + i);
        }
        until("n149", place.next() + 60);
        assertThat(hub.join(log.at(49))).isEmpty();
        assertThat(until("n149", hub.join(log.at(50)).orElseThrow().next()))
                .hasSize(100)
                .startsWith("n50");
    }
}
