package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

class UpCommandTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir Path folder;

    @Test
    void makesAHiveAndKeepsItInOrderUntilItIsStopped() throws Exception {
        Session session = new Session(folder.toRealPath());
        CompletableFuture<Session.Result> result = new CompletableFuture<>();
        Thread up = Thread.ofPlatform().start(() -> result.complete(session.rsm("up", "--json")));
        await().atMost(PATIENCE)
                .until(() ->
                        Files.exists(folder.resolve(".deia/telemetry/rse.jsonl"))
                                || Files.exists(folder.resolve(".deia/hive.yaml")));
        await().atMost(PATIENCE).until(() -> up.getState() == Thread.State.TIMED_WAITING);
        up.interrupt();
        Session.Result ended = result.join();
        assertThat(ended.exit()).isZero();
        assertThat(ended.err()).isEmpty();
        assertThat(new AnswerSchemas().problems("up", ended.out())).isEmpty();
    }

    @Test
    void expiredMailIsArchivedWithoutAnybodyAsking() throws Exception {
        Session session = new Session(folder.toRealPath());
        assertThat(session.rsm("init").exit()).isZero();
        assertThat(session.rsm("send", "--to", "code", "--ttl", "1m", "soon over").exit()).isZero();
        session.later(Duration.ofMinutes(2));
        CompletableFuture<Session.Result> result = new CompletableFuture<>();
        Thread up = Thread.ofPlatform().start(() -> result.complete(session.rsm("up")));
        await().atMost(PATIENCE)
                .until(() -> Files.isDirectory(folder.resolve(".deia/archive/code/expired")));
        up.interrupt();
        assertThat(result.join().exit()).isZero();
    }

    @Test
    void withAPortItIsServedAtThatPortUntilItIsStopped() throws Exception {
        Session session = new Session(folder.toRealPath());
        Files.createDirectories(session.home);
        int port = ServedProcess.freePort();
        URI url = URI.create("http://127.0.0.1:" + port + "/healthz");
        CompletableFuture<Session.Result> result = new CompletableFuture<>();
        Thread up =
                Thread.ofPlatform()
                        .start(() ->
                                result.complete(session.rsm("up", "--port", "" + port, "--json")));
        await().atMost(PATIENCE).until(() -> ServedProcess.isHealthy(url));
        Session.Result second = new Session(session.cwd).rsm("up", "--port", "" + port);
        assertThat(second.exit()).isEqualTo(1);
        assertThat(second.err()).contains("it is taken", "name another port with --port");
        up.interrupt();
        Session.Result ended = result.join();
        assertThat(ended.exit()).isZero();
        assertThat(ended.out()).contains("\"url\":\"http://");
        assertThat(new AnswerSchemas().problems("up", ended.out())).isEmpty();
        assertThat(ServedProcess.isHealthy(url)).isFalse();
    }

    @Test
    void aPortThatIsNoneIsNamed() {
        Session session = new Session(folder);
        assertThat(session.rsm("init").exit()).isZero();
        Session.Result result = session.rsm("up", "--port", "high");
        assertThat(result.exit()).isEqualTo(2);
        assertThat(result.err()).contains("high", "a whole number from 0 to 65535");
    }

    @Test
    void aNamedFolderWithoutAHiveIsAMistake() throws Exception {
        Session session = new Session(folder.toRealPath());
        assertThat(session.rsm("up", "--root", "nowhere").exit()).isEqualTo(6);
    }
}
