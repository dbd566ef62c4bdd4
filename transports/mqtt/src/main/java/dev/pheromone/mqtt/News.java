package dev.pheromone.mqtt;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/// Word that something has come, kept until somebody waits for it.
final class News {

    private final String filter;
    private final Semaphore rung = new Semaphore(0);

    News(String filter) {
        this.filter = filter;
    }

    /// By what the broker knows that we listen.
    String filter() {
        return filter;
    }

    void ring() {
        rung.release();
    }

    /// Waits until it rings, or did since somebody last waited. Once is enough to wake up, however
    /// often it rang.
    void await(Duration timeout) throws InterruptedException {
        if (rung.tryAcquire(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
            var _ = rung.drainPermits();
        }
    }
}
