package dev.pheromone.server;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;

/// A busy log, followed by many who break off again and again: each gets every event once and in
/// order, and soon. `-Drsm.long=true` makes it 1,000 events a second for 100 clients.
final class EventLoadTest {

    private static final boolean LONG = Boolean.getBoolean("rsm.long");
    private static final int CLIENTS = LONG ? 100 : 10;
    private static final int PER_SECOND = LONG ? 1_000 : 100;
    private static final int EVENTS = PER_SECOND * (LONG ? 30 : 3);

    /// After how many events a client breaks off, on the average.
    private static final int BETWEEN_BREAKS = LONG ? 3_000 : 60;

    private static final Duration STEP = Duration.ofMillis(5);
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /// Far beyond what a person would call live; the figures that are usual are printed.
    private static final long DELAY_MILLIS_MAX = 5_000;

    @TempDir Path root;
    private ServedHive hive;

    @BeforeEach
    void serve() throws Exception {
        hive = new ServedHive(root, new FakeClock(Instant.now()), UnaryOperator.identity());
    }

    @AfterEach
    void close() throws IOException {
        hive.close();
    }

    /// What one client saw.
    private static final class Seen {

        /// How often it broke off.
        int breaks;

        /// Events that were not the next ones.
        int wrong;

        /// From written to read, in milliseconds, by the event's number.
        final int[] delays = new int[EVENTS];
    }

    @Test
    void nothingIsMissedAndNothingIsLate() throws Exception {
        CountDownLatch ready = new CountDownLatch(CLIENTS);
        List<CompletableFuture<Seen>> clients = new ArrayList<>();
        for (int client = 0; client < CLIENTS; client++) {
            Random random = new Random(client);
            CompletableFuture<Seen> seen = new CompletableFuture<>();
            clients.add(seen);
            Thread.ofVirtual()
                    .start(() -> {
                        try {
                            seen.complete(follow(random, ready));
                        } catch (Exception e) {
                            seen.completeExceptionally(e);
                            ready.countDown();
                        }
                    });
        }
        assertThat(ready.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        double seconds = tellAll();
        int breaks = 0;
        int wrong = 0;
        int[] delays = new int[CLIENTS * EVENTS];
        for (int client = 0; client < CLIENTS; client++) {
            Seen seen =
                    clients.get(client).orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
            breaks += seen.breaks;
            wrong += seen.wrong;
            System.arraycopy(seen.delays, 0, delays, client * EVENTS, EVENTS);
        }
        Arrays.sort(delays);
        int p99 = delays[(int) (delays.length * 0.99)];
        System.out.printf(
                "%d events at %.0f/s to %d clients: %d reconnects, %d missed or repeated, delay p50"
                        + " %d ms, p99 %d ms, max %d ms%n",
                EVENTS,
                EVENTS / seconds,
                CLIENTS,
                breaks,
                wrong,
                delays[delays.length / 2],
                p99,
                delays[delays.length - 1]);
        assertThat(breaks).isGreaterThan(CLIENTS);
        assertThat(wrong).isZero();
        assertThat(EVENTS / seconds).isGreaterThan(PER_SECOND * 0.9);
        assertThat(p99).isLessThan((int) DELAY_MILLIS_MAX);
    }

    /// Writes all events at the rate that is wanted; returns how long it took.
    private double tellAll() throws IOException {
        long began = System.nanoTime();
        int told = 0;
        while (told < EVENTS) {
            long due = (System.nanoTime() - began) * PER_SECOND / TimeUnit.SECONDS.toNanos(1);
            List<RseEvent> batch = new ArrayList<>();
            for (; told < Math.min(EVENTS, due); told++) {
                batch.add(tick(told));
            }
            if (batch.isEmpty()) {
                LockSupport.parkNanos(STEP.toNanos());
            } else {
                hive.files.log().append(batch, Durability.GROUPED);
            }
        }
        return (System.nanoTime() - began) / 1e9;
    }

    private RseEvent tick(int number) {
        return new RseEvent.Other(
                hive.clock.instant(),
                "tick",
                Lane.CODE,
                "ada",
                Json.obj().put("n", number).put("nanos", System.nanoTime()));
    }

    /// Reads every event, and comes back with the last id each time that it has broken off.
    private Seen follow(Random random, CountDownLatch ready) throws IOException {
        Seen seen = new Seen();
        int next = 0;
        String lastId = "";
        while (next < EVENTS) {
            try (Socket socket =
                    new Socket(
                            InetAddress.getLoopbackAddress(), hive.endpoint.address().getPort())) {
                socket.setSoTimeout((int) PATIENCE.toMillis());
                ask(socket, lastId);
                BufferedReader lines =
                        new BufferedReader(
                                new InputStreamReader(
                                        socket.getInputStream(), StandardCharsets.US_ASCII));
                String id = lastId;
                int left = 1 + random.nextInt(2 * BETWEEN_BREAKS);
                for (String line = lines.readLine();
                        line != null && left > 0 && next < EVENTS;
                        line = lines.readLine()) {
                    if (line.startsWith("id: ")) {
                        id = line.substring(4);
                        if (lastId.isEmpty()) {
                            lastId = id;
                            ready.countDown();
                        }
                    } else if (line.startsWith("data: ") && line.endsWith("}}")) {
                        int number = (int) numberAfter(line, "\"n\":");
                        seen.wrong += number == next ? 0 : 1;
                        long nanos = System.nanoTime() - numberAfter(line, "\"nanos\":");
                        seen.delays[number] = (int) TimeUnit.NANOSECONDS.toMillis(nanos);
                        next = number + 1;
                        left--;
                        lastId = id;
                    }
                }
            } catch (SocketException e) {
                // Let go in the hard way, as slow clients are: it comes back like the others.
            }
            seen.breaks++;
        }
        return seen;
    }

    /// By HTTP/1.0, which knows no chunks: lines arrive whole.
    private static void ask(Socket socket, String lastId) throws IOException {
        String resume = lastId.isEmpty() ? "" : "Last-Event-ID: " + lastId + "\r\n";
        socket.getOutputStream()
                .write(
                        ("GET /rse/sse HTTP/1.0\r\nHost: localhost\r\nAuthorization: Bearer "
                                        + ServedHive.TOKEN
                                        + "\r\n"
                                        + resume
                                        + "\r\n")
                                .getBytes(StandardCharsets.US_ASCII));
    }

    private static long numberAfter(String line, String name) {
        int from = line.indexOf(name) + name.length();
        int to = from;
        while (Character.isDigit(line.charAt(to))) {
            to++;
        }
        return Long.parseLong(line.substring(from, to));
    }
}
