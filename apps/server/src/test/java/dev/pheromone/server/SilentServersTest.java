package dev.pheromone.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.AwayException;
import dev.pheromone.http.HttpOptions;
import dev.pheromone.http.HttpTransport;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// A server that stops in the middle, or never begins, holds nobody up for longer than agreed.
@Timeout(30)
final class SilentServersTest {

    private final List<Socket> clients = new CopyOnWriteArrayList<>();
    private ServerSocket server;

    /// What each client is told before the silence.
    private volatile String said = "";

    @BeforeEach
    void serve() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual()
                .start(() -> {
                    try {
                        while (true) {
                            Socket client = server.accept();
                            clients.add(client);
                            client.getOutputStream().write(said.getBytes(StandardCharsets.UTF_8));
                            client.getOutputStream().flush();
                        }
                    } catch (IOException e) {
                        // The test is over.
                    }
                });
    }

    @AfterEach
    void close() throws IOException {
        server.close();
        for (Socket client : clients) {
            client.close();
        }
    }

    private HttpTransport transport() {
        return new HttpTransport(
                HttpOptions.of(URI.create("http://127.0.0.1:" + server.getLocalPort()))
                        .withTimeout(Duration.ofMillis(700))
                        .withTries(4));
    }

    @Test
    void anAnswerThatStallsInItsBodyIsGivenUp() throws Exception {
        said = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{";
        try (HttpTransport transport = transport()) {
            assertThatThrownBy(transport::domains)
                    .isInstanceOf(AwayException.class)
                    .hasMessageContaining("it takes too long");
        }
    }

    @Test
    void whoSaysNothingIsNotAskedAgain() throws Exception {
        try (HttpTransport transport = transport()) {
            assertThatThrownBy(transport::domains).isInstanceOf(AwayException.class);
            assertThat(clients).hasSize(1);
        }
    }

    @Test
    void whatNothingHoldsUpGetsLessTimeThanALease() {
        HttpOptions options = HttpOptions.of(URI.create("http://localhost"));
        assertThat(options.timeout()).isEqualTo(Duration.ofSeconds(60));
        assertThat(options.shortTimeout()).isEqualTo(Duration.ofSeconds(10));
        assertThat(options.withTimeout(Duration.ofSeconds(2)).shortTimeout())
                .isEqualTo(Duration.ofSeconds(2));
    }
}
