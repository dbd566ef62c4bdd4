package dev.pheromone.cli;

import java.io.InterruptedIOException;
import java.time.Duration;

/// Waiting, for what tells nobody when it is over.
final class Pause {

    private Pause() {}

    static void of(Duration length) throws InterruptedIOException {
        try {
            Thread.sleep(length);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting");
        }
    }
}
