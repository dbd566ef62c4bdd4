package dev.pheromone.session.caller;

import java.io.InterruptedIOException;
import java.time.Duration;

/// Waiting, for what tells nobody when it is over.
public final class Pause {

    private Pause() {}

    public static void of(Duration length) throws InterruptedIOException {
        try {
            Thread.sleep(length);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting");
        }
    }
}
