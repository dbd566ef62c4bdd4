package dev.pheromone.testkit;

import org.opentest4j.TestAbortedException;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// A real nats-server for a test, on free ports of this machine and with its files in a folder of
/// the test's. It can be killed, and started again where it was.
public final class NatsServer implements AutoCloseable {

    private static final long PATIENCE_SECONDS = 30;

    private final Path folder;
    private final int port;
    private Process process;

    private NatsServer(Path folder, int port, Process process) {
        this.folder = folder;
        this.port = port;
        this.process = process;
    }

    /// Where there is no nats-server, the test counts as not run, by name; on a build server that
    /// is a failure.
    public static void refuseWithout(String test) throws IOException {
        try {
            new ProcessBuilder("nats-server", "--version")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException e) {
            String line = "NOT RUN: " + test + ": there is no nats-server on this machine";
            System.out.println(line);
            if ("true".equals(System.getenv("CI"))) {
                throw new AssertionError(line, e);
            }
            throw new TestAbortedException(line);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    /// One server by itself.
    public static NatsServer start(Path folder) throws IOException {
        int port = freePorts(1).getFirst();
        return start(folder, port, "");
    }

    /// Servers that know each other, and keep what they are given together.
    public static List<NatsServer> startCluster(Path folder, int size) throws IOException {
        List<Integer> ports = freePorts(2 * size);
        List<String> routes = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            routes.add("nats://127.0.0.1:" + ports.get(size + i));
        }
        List<NatsServer> servers = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            String cluster =
                    """
                    server_name: node%d
                    cluster { name: hive, listen: "127.0.0.1:%d", routes: [%s] }
                    """
                            .formatted(i, ports.get(size + i), String.join(", ", routes));
            servers.add(
                    start(
                            Files.createDirectory(folder.resolve("node" + i)),
                            ports.get(i),
                            cluster));
        }
        return servers;
    }

    private static NatsServer start(Path folder, int port, String more) throws IOException {
        Files.writeString(
                folder.resolve("server.conf"),
                """
                listen: "127.0.0.1:%d"
                jetstream { store_dir: "%s" }
                """
                                .formatted(port, folder.resolve("store"))
                        + more);
        NatsServer server = new NatsServer(folder, port, launch(folder));
        server.awaitListening();
        return server;
    }

    private static Process launch(Path folder) throws IOException {
        return new ProcessBuilder("nats-server", "-c", folder.resolve("server.conf").toString())
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(folder.resolve("server.log").toFile()))
                .start();
    }

    private static List<Integer> freePorts(int count) throws IOException {
        List<ServerSocket> sockets = new ArrayList<>();
        try {
            List<Integer> ports = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                sockets.add(socket);
                ports.add(socket.getLocalPort());
            }
            return ports;
        } finally {
            for (ServerSocket socket : sockets) {
                socket.close();
            }
        }
    }

    /// Where clients find it.
    public String url() {
        return "nats://127.0.0.1:" + port;
    }

    /// What the server has written about itself.
    public String log() throws IOException {
        return Files.readString(folder.resolve("server.log"));
    }

    /// As `kill -9` does: it gets no chance to say or save anything.
    public void kill() {
        process.destroyForcibly();
        awaitEnd();
    }

    /// Starts it again, with what it had stored.
    public void restart() throws IOException {
        process = launch(folder);
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
        throw new IOException("nats-server does not listen; it wrote: " + log());
    }

    private void awaitEnd() {
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("nats-server " + process.pid() + " does not end");
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
