package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Every command that reads the event log answers the same, byte for byte, whatever has become of
/// the index beside it.
final class LogIndexAnswersTest extends OneHive {

    private static final Instant NOW = Instant.parse("2026-04-01T12:00:00Z");
    private static final int OLD_MAIL = 2_000;

    private String id = "";
    private Path index;

    @BeforeEach
    void liveForAMonth() throws IOException {
        index = folder.toRealPath().resolve(".deia/state/.log-index");
        Path log = folder.toRealPath().resolve(".deia/telemetry/rse.jsonl");
        Files.createDirectories(log.getParent());
        StringBuilder old = new StringBuilder();
        for (int i = 0; i < OLD_MAIL; i++) {
            old.append(life(i, NOW.minus(Duration.ofDays(30)).plusSeconds(i * 1_200L)));
        }
        // Of somebody who had no clock, and of somebody who had no JSON.
        old.append("{\"type\":\"drop_of_old\",\"lane\":\"Attic\"}\nwhat is this\n");
        Files.writeString(log, old, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        session.setClock(NOW.minusSeconds(3_000));
        id =
                session.rsm("send", "--quiet", "--to", "code", "please look at the boiler")
                        .out()
                        .strip();
        String claim = session.rsm("select", "--quiet", "code").out().strip();
        assertThat(session.rsm("ack", claim, "done").exit()).isZero();
        assertThat(session.rsm("send", "--to", "ops", "a second one").exit()).isZero();
        assertThat(session.rsm("drop", "the build is red", "--ttl", "2h").exit()).isZero();
    }

    private static String life(int number, Instant at) {
        String mail = "01M7QV1NFQSQK5WES6B5%06d".formatted(number);
        String rest =
                "\"lane\":\"Code\",\"actor\":\"bee\",\"data\":{\"inbox\":\"attic\",\"attempt\":1,";
        return """
        {"ts":"%1$s","type":"pheromone_drop",%3$s"topic":"old %4$d","ref":"%2$s","ttl":"1d"}}
        {"ts":"%1$s","type":"rsm_envelope_emit",%3$s"id":"%2$s","ttl":"1d","hash":"sha256:0"}}
        {"ts":"%1$s","type":"queen_select",%3$s"id":"%2$s","basis":"inbox"}}
        {"ts":"%1$s","type":"worker_ack",%3$s"ref":"%2$s","status":"done"}}
        """
                .formatted(at, mail, rest, number);
    }

    private List<String> answers() {
        List<List<String>> commands =
                List.of(
                        List.of("log", "--since", "1h"),
                        List.of("log", "--since", "1h", "--json"),
                        List.of("log", "--until", "29d", "--tail", "3", "--json"),
                        List.of("log", "--type", "worker_ack", "--tail", "2", "--json"),
                        List.of("log", "--type", "drop_of_old", "--since", "1h"),
                        List.of("log", "--type", "drop_of_odd", "--since", "1h"),
                        List.of("log", "--lane", "attic", "--since", "1h"),
                        List.of("log", "--lane", "cellar", "--since", "1h"),
                        List.of("log", "--ref", id),
                        List.of("log", "--ref", id.substring(20)),
                        List.of("log", "--ref", "001999", "--json"),
                        List.of("log", "--limit", "2", "--since", "1h", "--json"),
                        List.of("trace", id, "--json"),
                        List.of("sense", "--json"),
                        List.of("slo", "--since", "1h", "--json"),
                        List.of("slo", "--since", "29d", "--json"),
                        List.of("slo", "--since", "31d", "--json"),
                        List.of("search", "BOILER", "--json"),
                        List.of("search", "old 77", "--json"),
                        List.of("audit", "--json"),
                        List.of("status", "--json"),
                        List.of("log", "--tail", "3"),
                        List.of("log", "--tail", "3", "--json"),
                        List.of("log", "--actor", "bee", "--tail", "3"),
                        List.of("log", "--ref", "001999", "--tail", "1"),
                        List.of("log", "--lane", "cellar", "--tail", "1"));
        List<String> answers = new ArrayList<>();
        for (List<String> command : commands) {
            session.setClock(NOW);
            Session.Result result = session.rsm(command, "");
            answers.add(command + " " + result.exit() + "\n" + result.out() + result.err());
        }
        return answers;
    }

    @Test
    void theAnswersAreTheSameWithAndWithoutIt() throws IOException {
        List<String> first = answers();
        assertThat(index).exists();
        assertThat(first.get(0)).contains("worker_ack").contains("what is this");
        assertThat(first.get(5)).contains("did you mean drop_of_old");
        assertThat(first.get(12)).contains("rsm_envelope_emit").contains("worker_ack");
        assertThat(first.get(13)).contains("the build is red").doesNotContain("boiler");
        assertThat(answers()).isEqualTo(first);

        Files.delete(index);
        assertThat(answers()).isEqualTo(first);

        byte[] whole = Files.readAllBytes(index);
        for (int cut : List.of(0, 1, whole.length / 2, whole.length - 1)) {
            Files.write(index, Arrays.copyOf(whole, cut));
            assertThat(answers()).as("cut at %d", cut).isEqualTo(first);
        }

        Files.delete(index);
        Files.createDirectories(index.resolve("in-the-way"));
        assertThat(answers()).isEqualTo(first);
    }
}
