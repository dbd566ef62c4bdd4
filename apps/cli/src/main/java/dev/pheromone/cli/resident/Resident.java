package dev.pheromone.cli.resident;

import dev.pheromone.cli.frame.Surroundings;
import dev.pheromone.disk.HiveLayout;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The resident process of a hive, as another process finds it.
///
/// @param since when it began to listen
public record Resident(ResidentAddress address, long pid, Instant since) {

    /// How long one that was told to end may take: the commands at work come to their end first.
    private static final Duration ENDING_MAX = Duration.ofSeconds(20);

    private static final Duration PAUSE = Duration.ofMillis(10);

    /// The resident of the hive at `layout`, if one runs for this build of the program.
    public static Optional<Resident> of(HiveLayout layout, Surroundings surroundings) {
        try {
            for (ResidentAddress address : ResidentAddress.of(layout, surroundings)) {
                Optional<Resident> found = address.isThere() ? at(address) : Optional.empty();
                if (found.isPresent()) {
                    return found;
                }
            }
        } catch (IOException e) {
            // Where nobody can look, nobody is found.
        }
        return Optional.empty();
    }

    private static Optional<Resident> at(ResidentAddress address) {
        try (SocketChannel channel = connect(address)) {
            Frames frames = new Frames(channel);
            frames.write('P');
            Frames.Frame _ = frames.read();
            List<String> said = frames.read().text().lines().toList();
            return Optional.of(
                    new Resident(address, Long.parseLong(said.get(0)), Instant.parse(said.get(1))));
        } catch (IOException | RuntimeException e) {
            // What a killed one left behind.
            return Optional.empty();
        }
    }

    private static SocketChannel connect(ResidentAddress address) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.connect(address.address());
            return channel;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /// Tells it to end, and waits until it has; false if it takes too long.
    public boolean stop() throws IOException, InterruptedException {
        try (SocketChannel channel = connect(address)) {
            Frames frames = new Frames(channel);
            frames.write('D');
            Frames.Frame _ = frames.read();
            Frames.Frame _ = frames.read();
        }
        long end = System.nanoTime() + ENDING_MAX.toNanos();
        while (at(address).isPresent() || isAlive()) {
            if (System.nanoTime() > end) {
                return false;
            }
            Thread.sleep(PAUSE);
        }
        return true;
    }

    private boolean isAlive() {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }
}
