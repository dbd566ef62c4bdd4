package dev.pheromone.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// Whoever connects and shows no token keeps nobody out who does.
final class IdleConnectionsTest {

    private static final int IDLE = 1_024;
    private static final int STREAMS = 256;

    @TempDir Path root;
    private ServedHive hive;
    private final List<Socket> idle = new ArrayList<>();

    @BeforeEach
    void serve() throws Exception {
        hive = new ServedHive(root);
    }

    @AfterEach
    void close() throws IOException {
        for (Socket socket : idle) {
            socket.close();
        }
        hive.close();
    }

    private Socket connect() throws IOException {
        Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), hive.endpoint.address().getPort());
        socket.setSoTimeout((int) ServedHive.PATIENCE.toMillis());
        idle.add(socket);
        return socket;
    }

    @Test
    void aClientWithTheTokenIsAnsweredBesideAThousandIdleOnes() throws Exception {
        for (int i = 0; i < IDLE; i++) {
            Socket _ = connect();
        }
        long began = System.nanoTime();
        assertThat(hive.get("/v1/inboxes").status()).isEqualTo(200);
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(5));
        // None is kept for long.
        for (Socket socket : idle) {
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void streamsWithoutATokenTakeNoPlace() throws Exception {
        byte[] ask =
                "GET /rse/sse HTTP/1.1\r\nHost: localhost\r\n\r\n"
                        .getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < STREAMS; i++) {
            Socket socket = connect();
            socket.getOutputStream().write(ask);
            byte[] status = socket.getInputStream().readNBytes("HTTP/1.1 401".length());
            assertThat(new String(status, StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 401");
        }
        assertThat(hive.endpoint.streaming()).isZero();
    }
}
