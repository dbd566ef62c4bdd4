package dev.pheromone.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/// A hive in a folder of its own, served by `rsm serve` in a process of its own, which can be
/// killed and started again.
final class ServedProcess implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    final Path folder;
    final Session session;
    final int port;
    private RsmProcess process;

    private ServedProcess(Path folder, int port) throws IOException {
        this.folder = folder;
        this.session = new Session(folder);
        this.port = port;
        assertThat(session.rsm("init").exit()).isZero();
        this.process = launch();
    }

    static ServedProcess start(Path folder) throws IOException {
        return new ServedProcess(Files.createDirectories(folder).toRealPath(), freePort());
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

    private RsmProcess launch() throws IOException {
        RsmProcess started = RsmProcess.start(folder, "serve", "--bind", "127.0.0.1:" + port);
        await().atMost(PATIENCE).until(() -> !started.process().isAlive() || isListening());
        assertThat(started.process().isAlive()).as(started.errors()).isTrue();
        return started;
    }

    private boolean isListening() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /// What `hive.yaml` says of it.
    String transport() {
        return "{url: \"http://127.0.0.1:%d\", token_file: \"%s\"}"
                .formatted(port, folder.resolve(".config/pheromone/serve.token"));
    }

    /// As `kill -9` does.
    void kill() throws InterruptedException {
        process.process().destroyForcibly();
        assertThat(process.process().waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    void restart() throws IOException {
        process = launch();
    }

    @Override
    public void close() {
        process.close();
    }
}
