package dev.pheromone;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;

/// How often something happened in the last minute. Not thread-safe.
final class RateWindow {

    static final Duration LENGTH = Duration.ofMinutes(1);

    /// When it happened, in milliseconds, in the order in which that was told.
    private final Deque<Long> times = new ArrayDeque<>();

    void add(Instant at) {
        times.addLast(at.toEpochMilli());
    }

    int count(Instant now) {
        long oldest = now.minus(LENGTH).toEpochMilli();
        while (!times.isEmpty() && times.getFirst() <= oldest) {
            times.removeFirst();
        }
        return times.size();
    }

    /// How long it takes until it has happened less than `max` times in a minute.
    Duration untilBelow(int max, Instant now) {
        int tooMany = count(now) - max + 1;
        if (tooMany <= 0) {
            return Duration.ZERO;
        }
        long ends = 0;
        int seen = 0;
        for (long at : times) {
            ends = Math.max(ends, at);
            if (++seen == tooMany) {
                break;
            }
        }
        Duration wait = Duration.between(now, Instant.ofEpochMilli(ends).plus(LENGTH));
        // A clock that went back must not make anybody wait for longer than the window.
        return wait.compareTo(LENGTH) > 0 ? LENGTH : wait;
    }
}
