package dev.pheromone.disk;

import java.io.IOException;

/// Runs file operations with the thread's interrupt put off until they are done.
///
/// An interrupt closes the channel that its thread is reading or writing, and with it every lock on
/// that file. One that comes while the work runs still does: the work must then see a
/// `ClosedChannelException`.
public final class Uninterrupted {

    /// Work on files.
    public interface Work<T> {
        T run() throws IOException;
    }

    private Uninterrupted() {}

    public static <T> T run(Work<T> work) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            return work.run();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
