package dev.pheromone.file.admission;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;

/// How a sender is made to wait before its mail is accepted.
public interface Delays {

    void await(Duration delay) throws IOException;

    /// Holds up the thread that sends.
    static void hold(Duration delay) throws IOException {
        try {
            Thread.sleep(delay);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while it waited to send");
        }
    }
}
