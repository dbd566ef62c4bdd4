package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

class ServeCommandTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir Path folder;
    private Session session;

    @BeforeEach
    void aHive() throws IOException {
        session = new Session(folder.toRealPath());
        Files.createDirectories(session.home);
        assertThat(session.rsm("init").exit()).isZero();
    }

    private static int status(HttpClient client, HttpRequest request) {
        try {
            return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
        } catch (IOException e) {
            return 0;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void servesUntilItIsStopped() throws Exception {
        String bind = "127.0.0.1:" + ServedProcess.freePort();
        URI url = URI.create("http://" + bind);
        CompletableFuture<Session.Result> result = new CompletableFuture<>();
        Thread serving =
                Thread.ofPlatform()
                        .start(() ->
                                result.complete(session.rsm("serve", "--bind", bind, "--json")));
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpRequest health = HttpRequest.newBuilder(url.resolve("/healthz")).build();
            await().atMost(PATIENCE).until(() -> status(client, health) == 200);

            Session.Result second = session.rsm("serve", "--bind", bind);
            assertThat(second.exit()).isEqualTo(1);
            assertThat(second.err()).contains("can't listen at " + bind);

            Path token = session.home.resolve(".config/pheromone/serve.token");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(token)))
                    .isEqualTo("rw-------");
            HttpRequest.Builder select =
                    HttpRequest.newBuilder(url.resolve("/v1/inboxes/code/select"))
                            .header("Content-Type", "application/json")
                            .POST(HttpRequest.BodyPublishers.ofString("{\"worker\":\"w1\"}"));
            assertThat(status(client, select.copy().build())).isEqualTo(401);
            select.header("Authorization", "Bearer " + Files.readString(token).strip());
            assertThat(status(client, select.build())).isEqualTo(204);
        }
        serving.interrupt();
        Session.Result ended = result.join();
        assertThat(ended.exit()).isZero();
        assertThat(ended.err()).isEmpty();
        assertThat(new AnswerSchemas().problems("serve", ended.out())).isEmpty();
    }

    @Test
    void beyondThisMachineACertificateIsNeeded() {
        Session.Result result = session.rsm("serve", "--bind", "0.0.0.0:0");
        assertThat(result.exit()).isEqualTo(2);
        assertThat(result.err()).contains("in the clear");
    }

    @Test
    void aTokenThatOthersCanReadIsRefused() throws IOException {
        Path token = session.cwd.resolve("token");
        Files.writeString(token, "correct-horse-battery-staple\n");
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-r--r--"));
        Session.Result result = session.rsm("serve", "--token-file", "token");
        assertThat(result.exit()).isEqualTo(2);
        assertThat(result.err()).contains("expected rw-------").doesNotContain("staple");
    }

    @Test
    void mistakesAreToldBeforeAnythingIsServed() {
        assertThat(session.rsm("serve", "--bind", "nowhere").exit()).isEqualTo(2);
        assertThat(session.rsm("serve", "--bind", "127.0.0.1:99999").exit()).isEqualTo(2);
        assertThat(session.rsm("serve", "--tls-key", "key.pem").exit()).isEqualTo(2);
        assertThat(session.rsm("serve", "--token-file", "none").exit()).isEqualTo(2);
    }
}
