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

    /// A hive whose `notify` is a script that writes down what it is told, and then ends with
    /// `exit`.
    private Session notifying(int exit) throws Exception {
        Session session = new Session(folder.toRealPath());
        assertThat(session.rsm("init").exit()).isZero();
        Path script =
                Files.writeString(
                        folder.resolve("tell"),
                        """
                        #!/bin/sh
                        echo "$# $RSM_TO $RSM_WHY $RSM_COUNT $RSM_FROM $RSM_PRIORITY $RSM_TOPIC" >> told
                        exit %d
                        """
                                .formatted(exit));
        assertThat(script.toFile().setExecutable(true)).isTrue();
        Files.writeString(folder.resolve(".deia/hive.yaml"), "notify: [./tell, \"a word\"]\n");
        return session;
    }

    @Test
    void peopleAreToldOfTheirMailOnceAndNothingOfItIsAmongTheWords() throws Exception {
        Session session = notifying(0);
        session.rsm(
                "--actor", "ci", "send", "--to", "user://you", "; touch evil", "--priority", "P0");
        session.rsm("--actor", "ci", "send", "--to", "user://you", "later", "--priority", "P2");
        session.rsm("send", "--to", "code", "not for people");
        Path told = folder.resolve("told");
        for (int i = 0; i < 2; i++) {
            CompletableFuture<Session.Result> result = new CompletableFuture<>();
            Thread up =
                    Thread.ofPlatform()
                            .start(() ->
                                    result.complete(
                                            session.rsm(
                                                    "up",
                                                    "--trust-notify",
                                                    "--by",
                                                    "you",
                                                    "--json")));
            await().atMost(PATIENCE)
                    .until(() ->
                            Files.exists(folder.resolve(".deia/state/.notified"))
                                    && up.getState() == Thread.State.TIMED_WAITING);
            up.interrupt();
            assertThat(result.join().out()).containsPattern("\"rounds\":[1-9]");
        }
        assertThat(told).hasContent("1 user://you new 2 ci P0 ; touch evil");
        assertThat(folder.resolve("evil")).doesNotExist();
    }

    @Test
    void aCommandThatNobodyApprovedIsNotRun() throws Exception {
        Session session = notifying(0);
        session.rsm("send", "--to", "user://you", "main is red");
        CompletableFuture<Session.Result> result = new CompletableFuture<>();
        Thread up = Thread.ofPlatform().start(() -> result.complete(session.rsm("up")));
        await().atMost(PATIENCE).until(() -> up.getState() == Thread.State.TIMED_WAITING);
        up.interrupt();
        assertThat(result.join().err())
                .contains("./tell \"a word\"", "not approved", "rsm up --trust-notify");
        assertThat(folder.resolve("told")).doesNotExist();
        session.env.put("CLAUDECODE", "1");
        assertThat(session.rsm("up", "--trust-notify", "--by", "you").exit()).isEqualTo(2);
    }

    @Test
    void aCommandThatFailsIsToldOnceAndHoldsNothingUp() throws Exception {
        Session session = notifying(3);
        session.rsm("send", "--to", "user://you", "one");
        session.rsm("send", "--create", "--to", "user://ada", "two");
        CompletableFuture<Session.Result> result = new CompletableFuture<>();
        Thread up =
                Thread.ofPlatform()
                        .start(() ->
                                result.complete(
                                        session.rsm("up", "--trust-notify", "--by", "you")));
        await().atMost(PATIENCE).until(() -> Files.exists(folder.resolve(".deia/state/.notified")));
        up.interrupt();
        assertThat(result.join().err()).containsOnlyOnce("exit 3");
        assertThat(folder.resolve("told")).content().hasLineCount(2);
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
