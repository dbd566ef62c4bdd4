package dev.pheromone.hive;

import java.time.Duration;

/// How a [Hive] is to work.
///
/// @param mode when it ends by itself
/// @param concurrency how many envelopes are worked on at once
/// @param timeout how long work on one envelope may take before it is interrupted and has failed
/// @param grace how long running work may go on after [Hive#stop()] before it is given back
/// @param lease how long a claim lasts without a sign of life; one is given every third of it
/// @param patience with [Mode#ONCE], how long to wait for the one envelope
public record HiveOptions(
        Mode mode,
        int concurrency,
        Duration timeout,
        Duration grace,
        Duration lease,
        Duration patience) {

    /// The most slots: each may hold a process and a few files.
    public static final int CONCURRENCY_MAX = 256;

    /// When a hive ends by itself.
    public enum Mode {
        /// After one envelope, or when none came in time.
        ONCE,
        /// When nothing is ready any more. What is paused after a failure is left for later, and so
        /// is what a lock withholds, or a transport that fails for a minute.
        DRAIN,
        /// Never: it waits for more.
        FOREVER
    }

    public HiveOptions {
        if (concurrency < 1 || concurrency > CONCURRENCY_MAX) {
            throw new IllegalArgumentException(
                    "concurrency: found " + concurrency + ", expected 1 to " + CONCURRENCY_MAX);
        }
        if (!timeout.isPositive()) {
            throw new IllegalArgumentException(
                    "timeout: found " + timeout + ", expected more than zero");
        }
        if (grace.isNegative() || patience.isNegative()) {
            throw new IllegalArgumentException(
                    "grace and patience: found "
                            + grace
                            + " and "
                            + patience
                            + ", expected none negative");
        }
    }

    /// One envelope at a time, for ever, ten minutes each, and half a minute to finish in.
    public static HiveOptions defaults() {
        return new HiveOptions(
                Mode.FOREVER,
                1,
                Duration.ofMinutes(10),
                Duration.ofSeconds(30),
                Duration.ofSeconds(60),
                Duration.ZERO);
    }

    /// These, but ended otherwise.
    public HiveOptions withMode(Mode newMode) {
        return new HiveOptions(newMode, concurrency, timeout, grace, lease, patience);
    }

    /// These, with another number of slots.
    public HiveOptions withConcurrency(int newConcurrency) {
        return new HiveOptions(mode, newConcurrency, timeout, grace, lease, patience);
    }

    /// These, with more or less time for one envelope.
    public HiveOptions withTimeout(Duration newTimeout) {
        return new HiveOptions(mode, concurrency, newTimeout, grace, lease, patience);
    }

    /// These, with more or less time to finish in when stopped.
    public HiveOptions withGrace(Duration newGrace) {
        return new HiveOptions(mode, concurrency, timeout, newGrace, lease, patience);
    }

    /// These, with another lease.
    public HiveOptions withLease(Duration newLease) {
        return new HiveOptions(mode, concurrency, timeout, grace, newLease, patience);
    }

    /// These, with another wait for the one envelope.
    public HiveOptions withPatience(Duration newPatience) {
        return new HiveOptions(mode, concurrency, timeout, grace, lease, newPatience);
    }
}
