package dev.pheromone.cli;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// `rsm serve` beside the commands of a session, on a port that is free.
final class ServeBeside implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /// What documents show.
    private static final String USUAL = "127.0.0.1:7777";

    private final String bind;
    private final Thread serving;

    ServeBeside(Session session, List<String> arguments) throws IOException {
        int port = freePort();
        bind = "127.0.0.1:" + port;
        List<String> words = new ArrayList<>(arguments);
        words.addAll(List.of("--bind", bind));
        serving = Thread.ofPlatform().start(() -> session.rsm(words, ""));
        await().atMost(PATIENCE).until(() -> answers(port));
    }

    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /// Whether a server at `url` says that it is well.
    static boolean isHealthy(URI url) throws InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                                    HttpRequest.newBuilder(url).build(),
                                    HttpResponse.BodyHandlers.discarding())
                            .statusCode()
                    == 200;
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean answers(int port) {
        try (Socket _ = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /// A command that calls the usual port, as one that calls ours.
    String called(String command) {
        return command.replace(USUAL, bind);
    }

    @Override
    public void close() {
        serving.interrupt();
        try {
            boolean _ = serving.join(PATIENCE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
