package dev.pheromone.hive;

import dev.pheromone.Inbox;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Semaphore;

/// Waits for mail on a thread that may be interrupted, because it does nothing else, and calls
/// whoever takes it.
final class Lookout {

    private final Inbox inbox;
    private final HiveLimits limits;
    private final Runnable call;
    private final Semaphore asked = new Semaphore(0);
    private final Thread thread;

    Lookout(Inbox inbox, HiveLimits limits, Runnable call) {
        this.inbox = inbox;
        this.limits = limits;
        this.call = call;
        this.thread = Thread.ofVirtual().name("lookout " + inbox.domain()).unstarted(this::watch);
    }

    void start() {
        thread.start();
    }

    /// Calls when something may have come, or after a while in any case. Asking twice is as once.
    void ask() {
        if (asked.availablePermits() == 0) {
            asked.release();
        }
    }

    private void watch() {
        int troubles = 0;
        try {
            while (true) {
                asked.acquire();
                try {
                    inbox.await(limits.awaitMax());
                    troubles = 0;
                } catch (IOException | RuntimeException e) {
                    // Whoever is called asks the inbox itself, and tells what is wrong with it.
                    troubles++;
                    Duration pause = limits.backoff(troubles);
                    Thread.sleep(pause);
                }
                call.run();
            }
        } catch (InterruptedException e) {
            // Nobody waits for mail any more.
        }
    }

    void end() {
        thread.interrupt();
        boolean interrupted = false;
        while (true) {
            try {
                thread.join();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
