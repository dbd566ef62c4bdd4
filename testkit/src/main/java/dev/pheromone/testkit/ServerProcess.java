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

/// A server of somebody else's that a test starts, kills and starts again where it was.
final class ServerProcess implements AutoCloseable {

    private static final long PATIENCE_SECONDS = 90;

    private final List<String> command;
    private final Path log;
    private final int port;
    private Process process;

    private ServerProcess(List<String> command, Path log, int port) throws IOException {
        this.command = List.copyOf(command);
        this.log = log;
        this.port = port;
        process = launch();
    }

    /// Where the program is missing, the test counts as not run, by name; on a build server that is
    /// a failure.
    ///
    /// @param harmless an argument with which it only says something
    static void refuseWithout(String test, String program, String harmless) {
        try {
            new ProcessBuilder(program, harmless)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException e) {
            String line = "NOT RUN: " + test + ": there is no " + program + " on this machine";
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

    static List<Integer> freePorts(int count) throws IOException {
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

    /// Starts `program -c CONFIGURATION`, and returns when it listens at `port`.
    static ServerProcess start(String program, Path configuration, int port) throws IOException {
        return start(
                List.of(program, "-c", configuration.toString()),
                configuration.resolveSibling(program + ".log"),
                port);
    }

    /// Starts `command`, which writes to `log`, and returns when it listens at `port`.
    static ServerProcess start(List<String> command, Path log, int port) throws IOException {
        ServerProcess server = new ServerProcess(command, log, port);
        server.awaitListening();
        return server;
    }

    private Process launch() throws IOException {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
    }

    int port() {
        return port;
    }

    /// What it has written about itself.
    String log() throws IOException {
        return Files.readString(log);
    }

    /// As `kill -9` does: it gets no chance to say or save anything.
    void kill() {
        process.destroyForcibly();
        awaitEnd();
    }

    /// From now on it is there and says nothing, until `goOn`.
    void fallSilent() throws IOException {
        signal("-STOP");
    }

    void goOn() throws IOException {
        signal("-CONT");
    }

    private void signal(String name) throws IOException {
        try {
            int exit =
                    new ProcessBuilder("kill", name, Long.toString(process.pid()))
                            .start()
                            .waitFor();
            if (exit != 0) {
                throw new IOException("kill " + name + " " + process.pid() + ": exit code " + exit);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void restart() throws IOException {
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
        throw new IOException(command.getFirst() + " does not listen; it wrote: " + log());
    }

    private void awaitEnd() {
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("process " + process.pid() + " does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        kill();
    }
}
