package dev.pheromone.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// A real Mosquitto for a test, on a free port of this machine and with its files in a folder of
/// the test's. It can be killed, and started again where it was.
public final class Mosquitto implements KillableServer {

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

    private static final String PROGRAM = "mosquitto";

    private final ServerProcess process;

    private Mosquitto(ServerProcess process) {
        this.process = process;
    }

    /// Where there is no Mosquitto, the test counts as not run, by name; on a build server that is
    /// a failure.
    public static void refuseWithout(String test) {
        ServerProcess.refuseWithout(test, PROGRAM, "-h");
    }

    /// Starts one that is ready for clients.
    ///
    /// @param settings beside where it listens and keeps its files
    public static Mosquitto start(Path folder, String settings) throws IOException {
        int port = ServerProcess.freePorts(1).getFirst();
        Files.createDirectories(folder.resolve("store"));
        Path configuration =
                Files.writeString(
                        folder.resolve("mosquitto.conf"),
                        """
                        listener %d 127.0.0.1
                        user root
                        persistence_location %s/
                        """
                                        .formatted(port, folder.resolve("store"))
                                + settings);
        return new Mosquitto(ServerProcess.start(PROGRAM, configuration, port));
    }

    /// Where clients find it.
    public String url() {
        return "mqtt://127.0.0.1:" + port();
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
