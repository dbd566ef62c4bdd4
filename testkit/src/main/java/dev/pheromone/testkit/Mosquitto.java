package dev.pheromone.testkit;

import org.opentest4j.TestAbortedException;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// A real Mosquitto for a test, on a free port of this machine and with its files in a folder of
/// the test's. It can be killed, and started again where it was.
public final class Mosquitto implements AutoCloseable {

    /// As the guide says that it is to be set up.
    public static final String DURABLE =
            """
            persistence true
            autosave_on_changes true
            autosave_interval 1
            max_queued_messages 0
            set_tcp_nodelay true
            """;

    /// Anybody may come in.
    public static final String OPEN = "allow_anonymous true\n";

    private static final long PATIENCE_SECONDS = 30;

    private final Path folder;
    private final int port;
    private Process process;

    private Mosquitto(Path folder, int port) throws IOException {
        this.folder = folder;
        this.port = port;
        process = launch();
    }

    /// Where there is no Mosquitto, the test counts as not run, by name; on a build server that is
    /// a failure.
    public static void refuseWithout(String test) {
        try {
            new ProcessBuilder("mosquitto", "-h")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException e) {
            String line = "NOT RUN: " + test + ": there is no mosquitto on this machine";
            System.out.println(line);
            if ("true".equals(System.getenv("CI"))) {
                throw new AssertionError(line, e);
            }
            throw new TestAbortedException(line);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /// Starts one that is ready for clients.
    ///
    /// @param settings beside where it listens and keeps its files
    public static Mosquitto start(Path folder, String settings) throws IOException {
        int port = freePort();
        Files.createDirectories(folder.resolve("store"));
        Files.writeString(
                folder.resolve("mosquitto.conf"),
                """
                listener %d 127.0.0.1
                user root
                persistence_location %s/
                """
                                .formatted(port, folder.resolve("store"))
                        + settings);
        Mosquitto broker = new Mosquitto(folder, port);
        broker.awaitListening();
        return broker;
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private Process launch() throws IOException {
        return new ProcessBuilder("mosquitto", "-c", folder.resolve("mosquitto.conf").toString())
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(folder.resolve("mosquitto.log").toFile()))
                .start();
    }

    public String url() {
        return "mqtt://127.0.0.1:" + port;
    }

    public int port() {
        return port;
    }

    /// What the broker has written about itself.
    public String log() throws IOException {
        return Files.readString(folder.resolve("mosquitto.log"));
    }

    /// As `kill -9` does: it gets no chance to say or save anything.
    public void kill() {
        process.destroyForcibly();
        awaitEnd();
    }

    public void restart() throws IOException {
        process = launch();
        awaitListening();
    }

    private void awaitListening() throws IOException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (System.nanoTime() - end < 0 && process.isAlive()) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
                return;
            } catch (IOException e) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            }
        }
        process.destroyForcibly();
        throw new IOException("mosquitto does not listen; it wrote: " + log());
    }

    private void awaitEnd() {
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("mosquitto " + process.pid() + " does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        awaitEnd();
    }
}
