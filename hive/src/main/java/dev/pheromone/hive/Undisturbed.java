package dev.pheromone.hive;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.Callable;

/// Runs what must not be interrupted in the middle on a thread of its own, and waits for its end.
///
/// An interrupt closes the file that its thread is reading or writing, and the kernel's locks on it
/// go with it. A [Worker] is interrupted when its time is up, so it sends mail this way.
public final class Undisturbed {

    private Undisturbed() {}

    /// What `task` returns or throws. If the caller is interrupted meanwhile, it still waits, and
    /// is interrupted afterwards.
    public static <T> T call(Callable<T> task) throws Exception {
        var run = new Run<T>(task);
        Thread thread = Thread.ofVirtual().name("undisturbed").start(run);
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
        return run.result();
    }

    private static final class Run<T> implements Runnable {

        private final Callable<T> task;
        private @Nullable T value;
        private @Nullable Throwable failure;

        Run(Callable<T> task) {
            this.task = task;
        }

        @Override
        public void run() {
            try {
                value = task.call();
            } catch (Throwable e) {
                failure = e;
            }
        }

        @SuppressWarnings("NullAway") // null only if the task returned it
        T result() throws Exception {
            switch (failure) {
                case null -> {
                    return value;
                }
                case Error error -> throw error;
                case Exception exception -> throw exception;
                case Throwable other -> throw new IllegalStateException(other);
            }
        }
    }
}
