package dev.pheromone.cli.resident;

import dev.pheromone.cli.frame.Surroundings;
import dev.pheromone.disk.HiveLayout;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The resident process of a hive, as another process finds it.
///
/// @param since when it began to listen; null if it does not answer, as one that is stopped
/// @param port at which it also speaks HTTP; 0 if it does not
public record Resident(
        HiveLayout layout, ResidentAddress address, long pid, @Nullable Instant since, int port) {

    /// How long one that was told to end may take: the commands at work come to their end first.
    private static final Duration ENDING_MAX = Duration.ofSeconds(20);

    private static final Duration PAUSE = Duration.ofMillis(10);

    /// How long it may take to answer: one that is busy says something within moments.
    private static final Duration ANSWER_MAX = Duration.ofSeconds(5);

    /// The resident of the hive at `layout`, if one runs for this build of the program.
    public static Optional<Resident> of(HiveLayout layout, Surroundings surroundings) {
        try {
            for (ResidentAddress address : ResidentAddress.of(layout, surroundings)) {
                Optional<Resident> found =
                        address.isThere() ? at(layout, address) : Optional.empty();
                if (found.isPresent()) {
                    return found;
                }
            }
        } catch (IOException e) {
            // Where nobody can look, nobody is found.
        }
        return Optional.empty();
    }

    private static Optional<Resident> at(HiveLayout layout, ResidentAddress address) {
        try {
            List<String> said = ask(address, 'P').text().lines().toList();
            return Optional.of(
                    new Resident(
                            layout,
                            address,
                            Long.parseLong(said.get(0)),
                            Instant.parse(said.get(1)),
                            Integer.parseInt(said.get(2))));
        } catch (SocketTimeoutException e) {
            return silent(layout, address);
        } catch (IOException | RuntimeException e) {
            // What a killed one left behind.
            return Optional.empty();
        }
    }

    private static Optional<Resident> silent(HiveLayout layout, ResidentAddress address) {
        try {
            return ResidentLock.holder(layout, address.account())
                    .map(process -> new Resident(layout, address, process.pid(), null, 0));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /// What the resident says to a question. Fails with `SocketTimeoutException` if that takes too
    /// long.
    private static Frames.Frame ask(ResidentAddress address, char question) throws IOException {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            Thread deadline = Thread.ofPlatform().daemon().start(() -> closeLater(channel));
            try {
                channel.connect(address.address());
                Frames frames = new Frames(channel);
                frames.write(question);
                Frames.Frame _ = frames.read();
                return frames.read();
            } catch (IOException e) {
                // Nobody but the deadline closes the channel meanwhile.
                throw channel.isOpen()
                        ? e
                        : new SocketTimeoutException("no answer within " + ANSWER_MAX);
            } finally {
                deadline.interrupt();
            }
        }
    }

    private static void closeLater(SocketChannel channel) {
        try {
            Thread.sleep(ANSWER_MAX);
            channel.close();
        } catch (InterruptedException | IOException e) {
            // It has answered.
        }
    }

    /// Whether it answered when it was looked for.
    public boolean answers() {
        return since != null;
    }

    /// Tells it to end, and waits until it has; false if it does not hear, or takes too long.
    public boolean stop() throws IOException, InterruptedException {
        if (!answers()) {
            return false;
        }
        try {
            Frames.Frame _ = ask(address, 'D');
        } catch (SocketTimeoutException e) {
            return false;
        }
        long end = System.nanoTime() + ENDING_MAX.toNanos();
        while (at(layout, address).isPresent() || isAlive()) {
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
