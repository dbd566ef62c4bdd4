package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/// The last events of a log that is longer than what is read of its end.
final class LogTailTest {

    private static final int EVENTS = 6_000;

    @TempDir Path folder;
    private Session session;

    @BeforeEach
    void makeALongLog() throws Exception {
        session = new Session(folder.toRealPath());
        assertThat(session.rsm("init").exit()).isZero();
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < EVENTS; i++) {
            lines.append(
                    """
                    {"ts":"2026-01-01T%02d:%02d:%02dZ","type":"%s","lane":"Code","actor":"ci","data":{"n":%d,"text":"%s"}}
                    """
                            .formatted(
                                    i / 3600,
                                    i / 60 % 60,
                                    i % 60,
                                    i == 7 ? "early" : "tick",
                                    i,
                                    "x".repeat(80)));
        }
        Path log = folder.resolve(".deia/telemetry/rse.jsonl");
        Files.createDirectories(log.getParent());
        Files.writeString(log, lines, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private List<String> log(String... words) {
        Session.Result result = session.rsm(words);
        assertThat(result.exit()).as(result.err()).isZero();
        assertThat(result.err()).isEmpty();
        return result.out().lines().toList();
    }

    @Test
    void itsEndIsTheEndOfTheWhole() {
        List<String> all = log("log");
        assertThat(all).hasSizeGreaterThanOrEqualTo(EVENTS);
        for (int count : List.of(1, 3, 500, 4_000)) {
            assertThat(log("log", "--tail", String.valueOf(count)))
                    .isEqualTo(all.subList(all.size() - count, all.size()));
        }
    }

    @Test
    void itsCursorIsTheEndOfTheLog() {
        assertThat(log("log", "--tail", "3", "--json").getLast().replaceFirst("\"count\":\\d+", ""))
                .isEqualTo(log("log", "--json").getLast().replaceFirst("\"count\":\\d+", ""));
    }

    @Test
    void whatIsFarFromTheEndIsFound() {
        assertThat(log("log", "--tail", "1", "--type", "early")).hasSize(1);
        assertThat(log("log", "--tail", "2", "--type", "early")).hasSize(1);
        assertThat(session.rsm("log", "--tail", "1", "--type", "tock").err()).contains("tick");
    }
}
