package dev.pheromone.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.AwayException;
import dev.pheromone.Inbox;
import dev.pheromone.Outcome;
import dev.pheromone.Receipt;
import dev.pheromone.SendResult;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Envelope;

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
import java.time.Instant;
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
    void howWorkEndedIsSaidAgainToWhoIsBusy() throws Exception {
        try (HttpTransport transport = transport()) {
            said = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}";
            Inbox inbox = transport.inbox(Domain.parse("code"));
            said = "HTTP/1.1 503 Busy\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
            for (Outcome outcome : List.of(new Outcome.Failed("no"), new Outcome.Released(""))) {
                int before = clients.size();
                assertThatThrownBy(() -> inbox.settle("x", outcome))
                        .isInstanceOf(AwayException.class);
                assertThat(clients).hasSizeGreaterThan(before + 1);
            }
        }
    }

    private static Envelope mail() {
        return Envelope.draft(
                        Actor.parse("ada"),
                        List.of(Address.parse("queen://code")),
                        Lane.CODE,
                        "parser")
                .ts(Instant.parse("2025-10-15T17:10:00Z"))
                .body("Please.\n")
                .seal();
    }

    private void say(String status, String body) {
        said = "HTTP/1.1 " + status + "\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
    }

    @Test
    void aReceiptIsForWhatWasSent() throws Exception {
        Envelope sent = mail();
        SendResult there = new SendResult.Delivered("there");
        Receipt.Copy copy = new Receipt.Copy(sent.to().getFirst(), Domain.parse("code"), there);
        Envelope other = mail();
        try (HttpTransport transport = transport()) {
            say("201 Created", receipt(sent, List.of(copy)));
            assertThat(transport.send(sent).copies()).hasSize(1);
        }
        for (String wrong :
                List.of(receipt(other, List.of(copy)), receipt(sent, List.<Receipt.Copy>of()))) {
            try (HttpTransport transport = transport()) {
                say("201 Created", wrong);
                assertThatThrownBy(() -> transport.send(sent))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("not a receipt for it");
            }
        }
    }

    private static String receipt(Envelope of, List<Receipt.Copy> copies) {
        return ReceiptJson.write(new Receipt(of.id(), of.hash(), copies)).toString();
    }

    @Test
    void whoKnowsNothingOfEnvelopesDoesNotKnowThatOneIsMissing() throws Exception {
        try (HttpTransport transport = transport()) {
            say("404 Not Found", "");
            assertThatThrownBy(() -> transport.find(mail().id())).isInstanceOf(IOException.class);
        }
    }
}
