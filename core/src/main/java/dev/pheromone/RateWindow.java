package dev.pheromone;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;

/// How often something happened in the last minute. Not thread-safe.
final class RateWindow {

    static final Duration LENGTH = Duration.ofMinutes(1);

    /// How far a time may lie ahead: clocks are set back by moments. What a clock that was wrong
    /// said to be later is no part of the last minute, and must not keep anybody waiting.
    static final Duration AHEAD_MAX = Duration.ofSeconds(10);

    /// When it happened, in milliseconds, in the order in which that was told.
    private final Deque<Long> times = new ArrayDeque<>();

    private long latest = Long.MIN_VALUE;

    void add(Instant at) {
        times.addLast(at.toEpochMilli());
        latest = Math.max(latest, at.toEpochMilli());
    }

    int count(Instant now) {
        long oldest = now.minus(LENGTH).toEpochMilli();
        long newest = now.plus(AHEAD_MAX).toEpochMilli();
        if (latest > newest) {
            times.removeIf(at -> at > newest);
            latest = newest;
        }
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
