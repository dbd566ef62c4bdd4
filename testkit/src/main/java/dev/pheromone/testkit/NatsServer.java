package dev.pheromone.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/// A real nats-server for a test, on free ports of this machine and with its files in a folder of
/// the test's. It can be killed, and started again where it was.
public final class NatsServer implements AutoCloseable {

    private static final String PROGRAM = "nats-server";

    private final ServerProcess process;
    private final Path store;

    private NatsServer(ServerProcess process, Path store) {
        this.process = process;
        this.store = store;
    }

    /// Where there is no nats-server, the test counts as not run, by name; on a build server that
    /// is a failure.
    public static void refuseWithout(String test) {
        ServerProcess.refuseWithout(test, PROGRAM, "--version");
    }

    /// One server by itself.
    public static NatsServer start(Path folder) throws IOException {
        return start(folder, ServerProcess.freePorts(1).getFirst(), "");
    }

    /// One server by itself, with `settings` beside where it listens and keeps its files.
    public static NatsServer start(Path folder, String settings) throws IOException {
        return start(folder, ServerProcess.freePorts(1).getFirst(), settings);
    }

    /// Servers that know each other, and keep what they are given together.
    public static List<NatsServer> startCluster(Path folder, int size) throws IOException {
        List<Integer> ports = ServerProcess.freePorts(2 * size);
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
        Path store = folder.resolve("store");
        Path configuration =
                Files.writeString(
                        folder.resolve("server.conf"),
                        """
                        listen: "127.0.0.1:%d"
                        jetstream { store_dir: "%s" }
                        """
                                        .formatted(port, store)
                                + more);
        return new NatsServer(ServerProcess.start(PROGRAM, configuration, port), store);
    }

    /// Where clients find it.
    public String url() {
        return "nats://127.0.0.1:" + process.port();
    }

    /// What the server has written about itself.
    public String log() throws IOException {
        return process.log();
    }

    /// As `kill -9` does: it gets no chance to say or save anything.
    public void kill() {
        process.kill();
    }

    /// From now on it is there and says nothing, as one behind a cut cable; until `goOn`.
    public void fallSilent() throws IOException {
        process.fallSilent();
    }

    /// It goes on where it fell silent.
    public void goOn() throws IOException {
        process.goOn();
    }

    /// Starts it again, with what it had stored.
    public void restart() throws IOException {
        process.restart();
    }

    /// Starts it again with nothing of what it had stored, as after the loss of its disk.
    public void restartEmpty() throws IOException {
        try (Stream<Path> stored = Files.walk(store)) {
            for (Path path : stored.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
        process.restart();
    }

    @Override
    public void close() {
        process.close();
    }
}
