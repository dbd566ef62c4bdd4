package dev.pheromone.testkit;

import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Selection;
import dev.pheromone.address.Actor;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/// Looks again and again for what a transport may show late.
final class Lookout {

    private static final Duration LOOK_EVERY = Duration.ofMillis(5);

    private Lookout() {}

    /// One look.
    @FunctionalInterface
    interface Look<T, E extends Exception> {
        T look() throws E;
    }

    /// Selects until something other than nothing is found, or `lag` is over.
    static Selection select(Duration lag, Inbox inbox, Actor worker, Lease lease)
            throws IOException {
        return within(
                lag,
                () -> inbox.select(worker, lease),
                found -> !(found instanceof Selection.Nothing));
    }

    /// What the first look finds that `isWanted`, else what the last look finds. The last look
    /// begins after `lag` is over, however slow the machine is: what is shown in time is found.
    static <T, E extends Exception> T within(
            Duration lag, Look<T, E> look, Predicate<? super T> isWanted) throws E {
        long end = System.nanoTime() + lag.toNanos();
        while (true) {
            boolean isLast = System.nanoTime() - end >= 0;
            T found = look.look();
            if (isLast || isWanted.test(found)) {
                return found;
            }
            LockSupport.parkNanos(LOOK_EVERY.toNanos());
        }
    }
}
