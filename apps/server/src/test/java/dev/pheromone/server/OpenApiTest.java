package dev.pheromone.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;

import dev.pheromone.envelope.Envelope;
import dev.pheromone.lock.LockFiles;
import dev.pheromone.text.Json;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/// The OpenAPI document says what the server does.
final class OpenApiTest {

    @TempDir Path root;
    private ServedHive hive;
    private Json.Obj document;

    @BeforeEach
    void serve() throws Exception {
        hive = new ServedHive(root);
        document =
                (Json.Obj)
                        json(
                                new Load(LoadSettings.builder().build())
                                        .loadFromString(hive.get("/openapi.yaml").body()));
    }

    @AfterEach
    void close() throws IOException {
        hive.close();
    }

    private static Json json(Object yaml) {
        return switch (yaml) {
            case Map<?, ?> map -> {
                Json.Obj object = Json.obj();
                for (Map.Entry<?, ?> entry : map.entrySet()) {
                    object = object.put(String.valueOf(entry.getKey()), json(entry.getValue()));
                }
                yield object;
            }
            case List<?> list -> Json.arr(list.stream().map(OpenApiTest::json).toList());
            case Boolean flag -> Json.of(flag);
            case Number number -> Json.of(number.longValue());
            default -> Json.of(yaml.toString());
        };
    }

    @Test
    void everyRouteIsDescribedAndNoOther() {
        Set<String> served = new TreeSet<>();
        hive.endpoint
                .routes()
                .forEach(route ->
                        served.add(
                                route.method().toLowerCase(Locale.ROOT) + " " + route.template()));
        Set<String> described = new TreeSet<>();
        Json.Obj paths = document.object("paths");
        for (String path : paths.names()) {
            paths.object(path).names().forEach(method -> described.add(method + " " + path));
        }
        assertThat(described).isEqualTo(served);
    }

    private Set<String> declared(String path, String method) {
        return new TreeSet<>(
                document.object("paths").object(path).object(method).object("responses").names());
    }

    private int status(Route route, String query, String... headers) throws IOException {
        String path = route.template().replaceAll("\\{[a-z]+\\}", "code");
        return RawHttp.call(
                        hive.endpoint.address().getPort(),
                        route.method()
                                + " "
                                + path
                                + query
                                + " HTTP/1.1\r\nConnection: close\r\n"
                                + String.join("\r\n", headers)
                                + "\r\n\r\n")
                .status();
    }

    @Test
    void whatEveryRouteMayAnswerIsDeclaredThere() throws Exception {
        String host = "Host: localhost";
        String token = "Authorization: Bearer " + ServedHive.TOKEN;
        for (Route route : hive.endpoint.routes()) {
            String method = route.method().toLowerCase(Locale.ROOT);
            Set<String> declared = declared(route.template(), method);
            List<Integer> found = new ArrayList<>();
            found.add(status(route, "?a=1&a=2", host, token));
            found.add(status(route, "", host));
            found.add(status(route, "", host, token, "Origin: http://evil.example"));
            found.add(status(route, "", "Host: evil.example", token));
            if (!method.equals("get")) {
                found.add(status(route, "", host, token));
                found.add(
                        status(
                                route,
                                "",
                                host,
                                token,
                                "Content-Type: application/json",
                                "Content-Length: 0"));
            }
            hive.lock();
            if (!route.template().equals("/rse/sse")) {
                found.add(status(route, "", host, token));
            }
            Files.delete(hive.layout.hive().resolve(LockFiles.HIVE_LOCK));
            assertThat(declared)
                    .as(method + " " + route.template())
                    .containsAll(found.stream().map(String::valueOf).toList());
        }
    }

    @Test
    void theServersAreNamed() {
        assertThat(document.list("servers")).isNotEmpty();
    }

    private void assertIsA(String schema, ServedHive.Answer answer) {
        String text =
                Json.obj()
                        .put("$schema", "https://json-schema.org/draft/2020-12/schema")
                        .put("$ref", "#/components/schemas/" + schema)
                        .put("components", document.object("components"))
                        .toString();
        Schema wanted =
                SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12, _ -> {})
                        .getSchema(text, InputFormat.JSON);
        List<String> problems = new ArrayList<>();
        wanted.validate(answer.body(), InputFormat.JSON)
                .forEach(problem -> problems.add(problem.toString()));
        assertThat(problems).as(answer.body()).isEmpty();
    }

    @Test
    void answersHaveTheShapesThatItShows() throws Exception {
        Envelope envelope = hive.mail("shape").tags(List.of("a")).scope("src").seal();
        assertIsA("Receipt", hive.send(envelope));
        assertIsA("Receipt", hive.send(envelope));
        assertIsA("Inboxes", hive.get("/v1/inboxes"));
        assertIsA("Inbox", hive.get("/v1/inboxes/code"));
        assertIsA("Status", hive.get("/v1/status"));
        assertIsA("About", hive.get("/v1/about"));
        assertIsA("Promises", hive.get("/v1/slo"));
        assertIsA("Letter", hive.get("/v1/envelopes/" + envelope.id()));
        ServedHive.Answer taken =
                hive.post("/v1/inboxes/code/select", Json.obj().put("worker", "w1"));
        assertIsA("Claim", taken);
        String claim = "/v1/claims/" + taken.json().text("claim");
        assertIsA("Settlement", hive.post(claim + "/ack", Json.obj().put("status", "accepted")));
        assertIsA("Settlement", hive.post(claim + "/release", Json.obj()));
        assertIsA("Problem", hive.post(claim + "/ack", Json.obj().put("status", "done")));
        assertIsA("Ok", hive.get("/healthz"));
        assertIsA("Problem", hive.get("/nowhere"));
        assertIsA("Problem", hive.get("/v1/inboxes/nowhere"));
        assertIsA("Problem", hive.post("/v1/envelopes", "text/markdown", new byte[3]));
        assertIsA(
                "Problem",
                hive.send(hive.mail("other").id(envelope.id()).body("Another.\n").seal()));
        hive.lock();
        assertIsA("Receipt", hive.send(hive.mail("kept").seal()));
        assertIsA("Problem", hive.get("/v1/inboxes"));
        assertIsA("Problem", hive.get("/v1/slo"));
        assertIsA("Problem", hive.get("/metrics"));
    }
}
