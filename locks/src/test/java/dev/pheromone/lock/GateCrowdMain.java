package dev.pheromone.lock;

import dev.pheromone.disk.HiveLayout;
import dev.pheromone.guard.Pass;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/// A process whose threads are inside the gate all the time, until its input ends. It answers each
/// line with `inside` once its threads have been inside again.
///
/// Arguments: the hive's root, the number of threads, and what each does inside: `compute` for a
/// millisecond, or `write` a file and force it.
final class GateCrowdMain {

    private static final long COMPUTE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private GateCrowdMain() {}

    public static void main(String[] arguments) throws Exception {
        Path root = Path.of(arguments[0]);
        int threads = Integer.parseInt(arguments[1]);
        boolean writes = arguments[2].equals("write");
        LockFiles guard = new LockFiles(new HiveLayout(root));
        Semaphore visits = new Semaphore(0);
        for (int i = 0; i < threads; i++) {
            Path file = root.resolve("file-" + i);
            Thread.ofPlatform().daemon().start(() -> work(guard, writes, file, visits));
        }
        while (System.in.read() >= 0) {
            visits.drainPermits();
            // Not at the end of a round: then the gate may just be empty.
            visits.acquire(threads + threads / 2);
            System.out.println("inside");
        }
    }

    private static void work(LockFiles guard, boolean writes, Path file, Semaphore visits) {
        while (true) {
            try (Pass _ = guard.enter()) {
                if (writes) {
                    write(file);
                } else {
                    long end = System.nanoTime() + COMPUTE_NANOS;
                    while (System.nanoTime() < end) {
                        Thread.onSpinWait();
                    }
                }
            }
            visits.release();
        }
    }

    private static void write(Path file) {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[1_000]));
            channel.force(false);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
