package dev.pheromone.benchmarks;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// A server of somebody else's on this machine, and a connection to it.
record LocalServer(Process process, Socket socket) implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration PAUSE = Duration.ofMillis(50);
    private static final Duration END_WAIT = Duration.ofSeconds(5);

    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    static LocalServer start(List<String> command, Path folder, int port)
            throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve("server.log").toFile())
                        .start();
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                socket.setTcpNoDelay(true);
                return new LocalServer(process, socket);
            } catch (IOException e) {
                if (System.nanoTime() > end || !process.isAlive()) {
                    process.destroyForcibly();
                    throw new IOException(
                            command.getFirst() + " did not start: " + e.getMessage(), e);
                }
                Thread.sleep(PAUSE);
            }
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
            process.destroy();
            if (!process.waitFor(END_WAIT.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (IOException e) {
            process.destroyForcibly();
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
