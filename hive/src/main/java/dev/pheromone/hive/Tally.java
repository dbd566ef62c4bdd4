package dev.pheromone.hive;

import dev.pheromone.Outcome;

import java.time.Instant;

/// Counts what a hive did. Safe for use by several threads.
final class Tally {

    private static final int MINUTE_S = 60;

    private long done;
    private long failed;
    private long released;
    private long lost;

    /// How many were done in each of the last sixty seconds, and which second each place is of.
    private final int[] doneInSecond = new int[MINUTE_S];

    private final long[] seconds = new long[MINUTE_S];

    synchronized void count(Outcome outcome, Instant now) {
        switch (outcome) {
            case Outcome.Done _ -> {
                done++;
                long second = now.getEpochSecond();
                int place = (int) Math.floorMod(second, (long) MINUTE_S);
                if (seconds[place] != second) {
                    seconds[place] = second;
                    doneInSecond[place] = 0;
                }
                doneInSecond[place]++;
            }
            case Outcome.Failed _ -> failed++;
            case Outcome.Released _ -> released++;
        }
    }

    synchronized void countLost() {
        lost++;
    }

    synchronized Progress progress(int running, int waiting, Instant now) {
        long perMinute = 0;
        for (int place = 0; place < MINUTE_S; place++) {
            long age = now.getEpochSecond() - seconds[place];
            perMinute += age >= 0 && age < MINUTE_S ? doneInSecond[place] : 0;
        }
        return new Progress(done, failed, released, lost, running, waiting, perMinute);
    }
}
