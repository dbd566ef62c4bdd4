package dev.pheromone.cli;

import static org.awaitility.Awaitility.await;

import dev.pheromone.address.Actor;
import dev.pheromone.session.caller.Pairings;
import dev.pheromone.session.caller.UserFolder;
import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/// A browser that is paired with the board of a hive, which is served by `rsm serve` in this
/// process.
final class PairedBrowser implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final HttpClient client = HttpClient.newHttpClient();
    private final Thread serving;
    private final URI url;
    private final String secret;

    PairedBrowser(Session session, String actor) throws Exception {
        int port = ServedProcess.freePort();
        url = URI.create("http://localhost:" + port);
        serving =
                Thread.ofPlatform()
                        .daemon()
                        .start(() -> session.rsm("serve", "--bind", "127.0.0.1:" + port));
        await().atMost(PATIENCE).until(() -> ServedProcess.isHealthy(URI.create(url + "/healthz")));
        Pairings pairings =
                new Pairings(
                        new UserFolder(session.home.resolve(".config/pheromone")),
                        session.cwd,
                        session.surroundings().clock());
        secret = pairings.pair(pairings.newCode(Actor.parse(actor))).orElseThrow().secret();
    }

    /// An answer of the board.
    record Answer(int status, String body) {

        Json.Obj json() {
            try {
                return (Json.Obj) Json.parse(body);
            } catch (MalformedJsonException e) {
                throw new IllegalStateException("not JSON: " + body, e);
            }
        }
    }

    /// A look, with names and values by turns.
    Answer look(String name, String... parameters) throws Exception {
        StringBuilder query = new StringBuilder();
        for (int i = 0; i < parameters.length; i += 2) {
            query.append(query.isEmpty() ? '?' : '&')
                    .append(parameters[i])
                    .append('=')
                    .append(URLEncoder.encode(parameters[i + 1], StandardCharsets.UTF_8));
        }
        return call(request("/v1/board/looks/" + name + query).build());
    }

    Answer deed(String name, Json.Obj fields) throws Exception {
        return call(
                request("/v1/board/deeds/" + name)
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(fields.toString()))
                        .build());
    }

    Answer get(String path) throws Exception {
        return call(request(path).build());
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(url + path))
                .timeout(PATIENCE)
                .header("Authorization", "Bearer " + secret);
    }

    private Answer call(HttpRequest request) throws IOException, InterruptedException {
        HttpResponse<String> response =
                client.send(request, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
        return new Answer(response.statusCode(), response.body());
    }

    @Override
    public void close() {
        client.shutdownNow();
        serving.interrupt();
        await().atMost(PATIENCE).until(() -> !serving.isAlive());
    }
}
