package dev.pheromone.hive;

import java.time.Duration;

/// The waits of a [Hive] that are no user's business to set.
///
/// @param tick how often running work is looked at: for its time-out, its lease, the end of grace
/// @param awaitMax how long a wait for mail lasts before the inbox is asked again in any case
/// @param lockPoll how often a locked inbox is asked whether it is free: a person lifts a lock and
///   watches
/// @param backoffMin the pause after the first trouble with the transport; doubled with each more
/// @param backoffMax the longest pause between two tries
/// @param drainMax how long a drain tries again to take something before it ends without
/// @param settleMax how long an outcome that can't be written is tried again before its claim is
///   left to its lease
/// @param unwindMax how long interrupted work may take to end before its slot goes on without it
record HiveLimits(
        Duration tick,
        Duration awaitMax,
        Duration lockPoll,
        Duration backoffMin,
        Duration backoffMax,
        Duration drainMax,
        Duration settleMax,
        Duration unwindMax) {

    static HiveLimits defaults() {
        return new HiveLimits(
                Duration.ofSeconds(1),
                Duration.ofSeconds(10),
                Duration.ofMillis(500),
                Duration.ofMillis(100),
                Duration.ofSeconds(5),
                Duration.ofMinutes(1),
                Duration.ofMinutes(5),
                Duration.ofSeconds(20));
    }

    /// The pause after trouble number `count`, counted from 1.
    Duration backoff(int count) {
        Duration pause = backoffMin.multipliedBy(1L << Math.min(count - 1, 16));
        return pause.compareTo(backoffMax) > 0 ? backoffMax : pause;
    }
}
