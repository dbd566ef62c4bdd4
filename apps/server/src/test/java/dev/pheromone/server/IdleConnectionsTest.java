package dev.pheromone.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pheromone.testkit.FakeClock;
import dev.pheromone.testkit.SelfSigned;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// Whoever connects and shows no token keeps nobody out who does.
final class IdleConnectionsTest {

    private static final int STREAMS = 256;
    private static final int UNPROVEN = ServerLimits.defaults().unprovenMax();
    private static final int FLOOD = ServerLimits.defaults().connectionsMax() + UNPROVEN;

    private static final String AUTHORIZED =
            " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                    + ServedHive.TOKEN
                    + "\r\n\r\n";

    @TempDir Path root;
    private ServedHive hive;
    private final List<Socket> sockets = new ArrayList<>();

    @BeforeEach
    void serve() throws Exception {
        hive = new ServedHive(root);
    }

    @AfterEach
    void close() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
        hive.close();
    }

    private Socket connect() throws IOException {
        Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), hive.endpoint.address().getPort());
        sockets.add(socket);
        socket.setSoTimeout((int) ServedHive.PATIENCE.toMillis());
        return socket;
    }

    private List<Socket> flood(int count) throws IOException {
        List<Socket> idle = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            idle.add(connect());
        }
        return idle;
    }

    private static void write(Socket socket, String request) throws IOException {
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    }

    private static String head(Socket socket) throws IOException {
        var head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int b = socket.getInputStream().read();
            assertThat(b).as(head.toString()).isNotNegative();
            head.append((char) b);
        }
        return head.toString();
    }

    private static void assertOver(Socket socket) throws IOException {
        assertThat(socket.getInputStream().read()).isEqualTo(-1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1_024, 5_120})
    void aClientWithTheTokenIsAnsweredBesideAnyNumberOfIdleOnes(int count) throws Exception {
        List<Socket> idle = flood(count);
        long began = System.nanoTime();
        assertThat(hive.get("/v1/inboxes").status()).isEqualTo(200);
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(1));
        // None is kept for long.
        for (Socket socket : idle) {
            assertOver(socket);
        }
    }

    @Test
    void aNewcomerWithoutATokenIsStillTold() throws Exception {
        List<Socket> idle = flood(FLOOD);
        // The oldest made room, and did not have to wait for that.
        idle.getFirst().setSoTimeout(2_000);
        assertOver(idle.getFirst());
        Socket newcomer = connect();
        write(newcomer, "GET /v1/inboxes HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assertThat(head(newcomer)).startsWith("HTTP/1.1 401").contains("WWW-Authenticate: Bearer");
    }

    @Test
    void whoHasShownTheTokenKeepsItsConnection() throws Exception {
        Socket proven = connect();
        write(proven, "HEAD /v1/inboxes" + AUTHORIZED);
        assertThat(head(proven)).startsWith("HTTP/1.1 200");
        Socket unproven = connect();
        write(unproven, "HEAD /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assertThat(head(unproven)).startsWith("HTTP/1.1 200");
        List<Socket> _ = flood(FLOOD);
        assertOver(unproven);
        write(proven, "HEAD /v1/inboxes" + AUTHORIZED);
        assertThat(head(proven)).startsWith("HTTP/1.1 200");
    }

    @Test
    void aStreamWithTheTokenGoesOn() throws Exception {
        Socket stream = connect();
        write(stream, "GET /rse/sse" + AUTHORIZED);
        assertThat(head(stream)).startsWith("HTTP/1.1 200");
        List<Socket> _ = flood(FLOOD);
        hive.files.send(hive.mail("beside-the-flood").seal());
        var seen = new StringBuilder();
        InputStream in = stream.getInputStream();
        while (seen.indexOf("beside-the-flood") < 0) {
            int b = in.read();
            assertThat(b).as(seen.toString()).isNotNegative();
            seen.append((char) b);
        }
        assertThat(hive.endpoint.streaming()).isEqualTo(1);
    }

    @Test
    void behindACertificateItIsTheSame() throws Exception {
        hive.close();
        SelfSigned certificate = SelfSigned.make(root, "ip:127.0.0.1,dns:localhost");
        byte[] key = Files.readAllBytes(certificate.key());
        byte[] itself = Files.readAllBytes(certificate.certificate());
        hive =
                new ServedHive(
                        Files.createDirectory(root.resolve("secure")),
                        new FakeClock(Instant.now()),
                        options -> options.withTls(PemTls.context(key, itself)));
        try (Socket proven =
                certificate
                        .trusting()
                        .getSocketFactory()
                        .createSocket(
                                InetAddress.getLoopbackAddress(),
                                hive.endpoint.address().getPort())) {
            write(proven, "HEAD /v1/inboxes" + AUTHORIZED);
            assertThat(head(proven)).startsWith("HTTP/1.1 200");
            List<Socket> idle = flood(FLOOD);
            assertOver(idle.getFirst());
            write(proven, "HEAD /v1/inboxes" + AUTHORIZED);
            assertThat(head(proven)).startsWith("HTTP/1.1 200");
        }
    }

    @Test
    void streamsWithoutATokenTakeNoPlace() throws Exception {
        for (int i = 0; i < STREAMS; i++) {
            Socket socket = connect();
            write(socket, "GET /rse/sse HTTP/1.1\r\nHost: localhost\r\n\r\n");
            byte[] status = socket.getInputStream().readNBytes("HTTP/1.1 401".length());
            assertThat(new String(status, StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 401");
        }
        assertThat(hive.endpoint.streaming()).isZero();
    }

    @Test
    void aByteNowAndThenHoldsNoPlaceForLong() throws Exception {
        Socket head = connect();
        write(head, "GET /healthz HTTP/1.1\r\nX: ");
        Socket body = connect();
        write(
                body,
                "POST /v1/envelopes HTTP/1.1\r\nContent-Type: text/markdown\r\n"
                        + "Content-Length: 1000"
                        + AUTHORIZED.substring(" HTTP/1.1".length()));
        Duration allowed = ServerLimits.defaults().requestTime().plusSeconds(3);
        long began = System.nanoTime();
        for (Socket socket : List.of(head, body)) {
            while (isOpenAfter(socket, 100)) {
                assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(allowed);
                for (Socket slow : List.of(head, body)) {
                    trickle(slow);
                }
            }
        }
    }

    private static boolean isOpenAfter(Socket socket, int millis) throws IOException {
        socket.setSoTimeout(millis);
        try {
            return socket.getInputStream().read() >= 0;
        } catch (SocketTimeoutException e) {
            return true;
        } catch (SocketException e) {
            return false;
        }
    }

    private static void trickle(Socket socket) {
        try {
            write(socket, "y");
        } catch (IOException e) {
            // It is over.
        }
    }
}
