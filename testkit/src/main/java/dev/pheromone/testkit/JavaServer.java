package dev.pheromone.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// A server that is a main class of the test's own class path, in a process of its own: `FOLDER
/// PORT` are its arguments. It can be killed, and started again where it was.
public final class JavaServer implements KillableServer {

    private final ServerProcess process;

    private JavaServer(ServerProcess process) {
        this.process = process;
    }

    /// Starts one that listens on a free port of this machine, and has its files in `folder`.
    public static JavaServer start(Class<?> main, Path folder) throws IOException {
        int port = ServerProcess.freePorts(1).getFirst();
        Files.createDirectories(folder);
        List<String> command =
                List.of(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Xmx512m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        main.getName(),
                        folder.toString(),
                        Integer.toString(port));
        return new JavaServer(ServerProcess.start(command, folder.resolve("server.log"), port));
    }

    @Override
    public int port() {
        return process.port();
    }

    @Override
    public String log() throws IOException {
        return process.log();
    }

    @Override
    public void kill() {
        process.kill();
    }

    @Override
    public void restart() throws IOException {
        process.restart();
    }

    @Override
    public void close() {
        process.close();
    }
}
