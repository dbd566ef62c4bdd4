package dev.pheromone.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pheromone.testkit.FakeClock;
import dev.pheromone.text.Json;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.UnaryOperator;

/// The hive in numbers, for people's dashboards.
final class FiguresTest {

    @TempDir Path root;
    private final FakeClock clock = new FakeClock(Instant.now());
    private ServedHive hive;

    @BeforeEach
    void serve() throws Exception {
        hive = new ServedHive(root, clock, UnaryOperator.identity());
    }

    @AfterEach
    void close() throws IOException {
        hive.close();
    }

    private Exposition metrics() throws Exception {
        ServedHive.Answer answer = hive.get("/metrics");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.response().headers().firstValue("Content-Type"))
                .contains("application/openmetrics-text; version=1.0.0; charset=utf-8");
        return Exposition.parse(answer.body());
    }

    @Test
    void metricsCountWhatIsInTheInboxes() throws Exception {
        for (String topic : List.of("done", "active", "waiting", "waiting too")) {
            hive.send(hive.mail(topic).seal());
        }
        hive.post("/v1/claims/" + hive.take() + "/ack", Json.obj().put("status", "done"));
        hive.take();
        clock.advance(Duration.ofSeconds(90));

        Exposition found = metrics();

        assertThat(found.value("pheromone_waiting{inbox=\"code\"}")).isEqualTo(2);
        assertThat(found.value("pheromone_oldest_age_seconds{inbox=\"code\"}")).isEqualTo(90);
        assertThat(found.value("pheromone_active{inbox=\"code\"}")).isEqualTo(1);
        assertThat(found.value("pheromone_ended_total{inbox=\"code\",state=\"done\"}"))
                .isEqualTo(1);
        assertThat(found.value("pheromone_ended_total{inbox=\"code\",state=\"dead\"}")).isZero();
        assertThat(found.value("pheromone_ended_total{inbox=\"docs\",state=\"expired\"}")).isZero();
        assertThat(found.value("pheromone_backpressure{inbox=\"code\"}")).isZero();
        assertThat(found.value("pheromone_waiting{inbox=\"user-ada\"}")).isZero();
        assertThat(found.value("pheromone_http_requests_total{method=\"POST\",status=\"201\"}"))
                .isEqualTo(4);
        assertThat(found.types())
                .containsEntry("pheromone_ended", "counter")
                .containsEntry("pheromone_waiting", "gauge")
                .allSatisfy((name, _) -> assertThat(name).startsWith("pheromone_"));
    }

    @Test
    void metricsCountRequestsAndStreams() throws Exception {
        HttpResponse<InputStream> stream =
                hive.client.send(
                        hive.request("/rse/sse").build(),
                        HttpResponse.BodyHandlers.ofInputStream());
        try (InputStream _ = stream.body()) {
            await().atMost(ServedHive.PATIENCE).until(() -> hive.endpoint.streaming() == 1);
            hive.get("/nowhere");
            RawHttp.call(
                    hive.endpoint.address().getPort(),
                    "BREW /pot HTTP/1.1\r\nHost: localhost\r\n\r\n");
            Exposition found = metrics();
            assertThat(found.value("pheromone_event_streams")).isEqualTo(1);
            assertThat(found.value("pheromone_http_requests_total{method=\"GET\",status=\"404\"}"))
                    .isEqualTo(1);
            assertThat(found.samples().keySet())
                    .noneMatch(name -> name.contains("BREW"))
                    .anyMatch(name -> name.contains("method=\"other\""));
        }
    }

    @Test
    void aFullInboxIsShown() throws Exception {
        Files.writeString(layoutFile("hive.yaml"), "format: 1\nbackpressure: {depth: 1}\n");
        hive.close();
        hive = new ServedHive(root, clock, UnaryOperator.identity());
        hive.send(hive.mail("one").seal());
        hive.send(hive.mail("two").seal());

        assertThat(metrics().value("pheromone_backpressure{inbox=\"code\"}")).isEqualTo(1);
    }

    private Path layoutFile(String name) {
        return hive.layout.hive().resolve(name);
    }

    @Test
    void promisesAreToldAsTheCommandTellsThem() throws Exception {
        hive.send(hive.mail("kept").seal());
        clock.advance(Duration.ofSeconds(3));
        hive.post("/v1/claims/" + hive.take() + "/ack", Json.obj().put("status", "done"));

        Json.Obj found = hive.get("/v1/slo?since=1h").json();

        assertThat(found.number("count")).isEqualTo(8);
        assertThat(found.number("missed")).isZero();
        Json.Obj first = (Json.Obj) found.list("items").getFirst();
        assertThat(first.text("metric")).isEqualTo("latency_p50");
        assertThat(first.flag("ok")).isTrue();
        assertThat(first.number("samples")).isEqualTo(1);
        assertThat(first.optionalDecimal("value")).hasValue(3.0);
        for (String wrong : List.of("0s", "soon", "99999d", "-1h", "")) {
            assertThat(hive.get("/v1/slo?since=" + wrong).status()).as(wrong).isEqualTo(400);
        }
    }

    @Test
    void underALockNothingIsTold() throws Exception {
        hive.send(hive.mail("before").seal());
        assertThat(hive.get("/metrics").status()).isEqualTo(200);
        assertThat(hive.get("/v1/slo").status()).isEqualTo(200);

        hive.lock();

        for (String path : List.of("/metrics", "/v1/slo", "/v1/status")) {
            ServedHive.Answer answer = hive.get(path);
            assertThat(answer.status()).as(path).isEqualTo(423);
            assertThat(answer.code()).isEqualTo("withheld");
            assertThat(answer.body()).doesNotContain("code\"}");
        }
    }
}
