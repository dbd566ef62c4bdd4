package dev.pheromone.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pheromone.address.Lane;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseLog.Durability;
import dev.pheromone.testkit.FakeClock;
import dev.pheromone.text.Json;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/// Who follows the log misses nothing, and who is too slow harms nobody.
final class EventStreamTest {

    private static final int EVENTS = 600;
    private static final int CLIENTS = 4;

    @TempDir Path root;
    private ServedHive hive;

    @BeforeEach
    void serve() throws Exception {
        hive =
                new ServedHive(
                        root,
                        new FakeClock(Instant.now()),
                        options ->
                                options.withLimits(
                                        options.limits()
                                                .withStreams(
                                                        Duration.ofMillis(200),
                                                        128,
                                                        Duration.ofMillis(500))));
    }

    @AfterEach
    void close() throws IOException {
        hive.close();
    }

    private void tell(int number, String text) throws IOException {
        hive.files
                .log()
                .append(
                        new RseEvent.Other(
                                hive.clock.instant(),
                                "tick",
                                Lane.CODE,
                                "ada",
                                Json.obj().put("n", number).put("text", text)),
                        Durability.GROUPED);
    }

    /// One connection; what it got, and the id to come back with.
    private final class Follower implements AutoCloseable {

        private final BufferedReader lines;
        private final InputStream in;
        String lastId;

        Follower(String lastId) throws Exception {
            this.lastId = lastId;
            HttpRequest.Builder request = hive.request("/rse/sse");
            if (!lastId.isEmpty()) {
                request.header("Last-Event-ID", lastId);
            }
            HttpResponse<InputStream> response =
                    hive.client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
            assertThat(response.statusCode()).isEqualTo(200);
            in = response.body();
            lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
        }

        /// The next event's number; -1 at the end of the stream.
        int next() throws Exception {
            String id = lastId;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("id: ")) {
                    id = line.substring(4);
                } else if (line.startsWith("data: ")) {
                    lastId = id;
                    Json.Obj event = (Json.Obj) Json.parse(line.substring(6));
                    if (!event.has("cursor")) {
                        return (int) event.object("data").number("n");
                    }
                }
            }
            return -1;
        }

        /// Reads until the server has said where it is.
        void begin() throws IOException {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("id: ")) {
                    lastId = line.substring(4);
                    return;
                }
            }
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }

    @Test
    void nothingIsMissedByThoseWhoComeBack() throws Exception {
        tell(-7, "before anybody listens");
        List<CompletableFuture<List<Integer>>> results = new ArrayList<>();
        for (int client = 0; client < CLIENTS; client++) {
            Follower first = new Follower("");
            first.begin();
            Random random = new Random(client);
            CompletableFuture<List<Integer>> result = new CompletableFuture<>();
            results.add(result);
            Thread.ofVirtual()
                    .start(() -> {
                        try {
                            result.complete(follow(first, random));
                        } catch (Exception e) {
                            result.completeExceptionally(e);
                        }
                    });
        }
        for (int i = 0; i < EVENTS; i++) {
            tell(i, "x".repeat(i % 50));
        }
        for (CompletableFuture<List<Integer>> result : results) {
            assertThat(result.orTimeout(60, TimeUnit.SECONDS).join())
                    .containsExactlyElementsOf(IntStream.range(0, EVENTS).boxed().toList());
        }
    }

    /// Breaks off again and again, and comes back with the last id.
    private List<Integer> follow(Follower first, Random random) throws Exception {
        List<Integer> got = new ArrayList<>();
        Follower follower = first;
        while (got.isEmpty() || got.getLast() < EVENTS - 1) {
            for (int left = 1 + random.nextInt(60); left > 0; left--) {
                int number = follower.next();
                if (number < 0) {
                    break;
                }
                got.add(number);
                if (number == EVENTS - 1) {
                    break;
                }
            }
            String lastId = follower.lastId;
            follower.close();
            follower = new Follower(lastId);
        }
        follower.close();
        return got;
    }

    @Test
    void theBeginningCanBeAskedFor() throws Exception {
        for (int i = 0; i < 300; i++) {
            tell(i, "");
        }
        try (Follower follower = new Follower("0")) {
            for (int i = 0; i < 300; i++) {
                assertThat(follower.next()).isEqualTo(i);
            }
            tell(300, "");
            assertThat(follower.next()).isEqualTo(300);
        }
        await().atMost(ServedHive.PATIENCE).until(() -> hive.endpoint.streaming() == 0);
    }

    @Test
    void aClientThatDoesNotReadIsLetGoAndTheOthersGoOn() throws Exception {
        String text = "y".repeat(12_000);
        try (Socket stuck =
                        new Socket(
                                InetAddress.getLoopbackAddress(),
                                hive.endpoint.address().getPort());
                Follower reader = new Follower("")) {
            reader.begin();
            stuck.getOutputStream()
                    .write(
                            ("GET /rse/sse?after=0 HTTP/1.1\r\n"
                                            + "Host: localhost\r\n"
                                            + "Authorization: Bearer "
                                            + ServedHive.TOKEN
                                            + "\r\n\r\n")
                                    .getBytes(StandardCharsets.US_ASCII));
            await().atMost(ServedHive.PATIENCE).until(() -> hive.endpoint.streaming() == 2);
            int told = 0;
            // More than the kernel keeps for a client that does not read.
            while (told < 1_500) {
                for (int i = 0; i < 25; i++) {
                    tell(told + i, text);
                }
                for (int i = 0; i < 25; i++) {
                    assertThat(reader.next()).isEqualTo(told + i);
                }
                told += 25;
            }
            await().atMost(ServedHive.PATIENCE).until(() -> hive.endpoint.streaming() == 1);
            tell(told, text);
            assertThat(reader.next()).isEqualTo(told);
        }
    }

    @Test
    void aClientThatDoesNotReadAPageIsLetGoToo() throws Exception {
        String text = "y".repeat(12_000);
        for (int i = 0; i < 800; i++) {
            tell(i, text);
        }
        try (Socket stuck = new Socket()) {
            stuck.setReceiveBufferSize(4_096);
            stuck.connect(
                    new InetSocketAddress(
                            InetAddress.getLoopbackAddress(), hive.endpoint.address().getPort()));
            stuck.getOutputStream()
                    .write(
                            ("GET /rse/feed?limit=10000 HTTP/1.1\r\n"
                                            + "Host: localhost\r\n"
                                            + "Authorization: Bearer "
                                            + ServedHive.TOKEN
                                            + "\r\n\r\n")
                                    .getBytes(StandardCharsets.US_ASCII));
            await().atMost(ServedHive.PATIENCE).until(() -> hive.endpoint.answering() == 1);
            await().atMost(ServedHive.PATIENCE).until(() -> hive.endpoint.answering() == 0);
            // It was not written to its end.
            assertThat(RawHttp.read(stuck).length()).isLessThan(8 << 20);
        }
    }

    @Test
    void theFeedGoesOnWhereItEnded() throws Exception {
        for (int i = 0; i < 25; i++) {
            tell(i, "");
        }
        List<Long> numbers = new ArrayList<>();
        String cursor = "0";
        boolean more = true;
        while (more) {
            ServedHive.Answer page = hive.get("/rse/feed?limit=10&after=" + cursor);
            assertThat(page.status()).isEqualTo(200);
            for (String line : page.body().lines().toList()) {
                Json.Obj object = (Json.Obj) Json.parse(line);
                if (object.has("cursor")) {
                    cursor = object.text("cursor");
                    more = object.flag("more");
                } else {
                    numbers.add(object.object("data").number("n"));
                }
            }
        }
        assertThat(numbers).hasSize(25).isSorted().doesNotHaveDuplicates();
    }
}
