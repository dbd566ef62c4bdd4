package dev.pheromone.hive;

import org.jspecify.annotations.Nullable;

import java.time.Instant;

/// Whether a hive is to end, and when running work is given back. Safe for use by several threads.
final class Stopping {

    private volatile @Nullable Instant giveBackAt;

    /// Work that still runs at `deadline` is given back; an earlier deadline stands.
    synchronized void by(Instant deadline) {
        Instant known = giveBackAt;
        if (known == null || deadline.isBefore(known)) {
            giveBackAt = deadline;
        }
    }

    boolean isAsked() {
        return giveBackAt != null;
    }

    boolean isOver(Instant now) {
        Instant deadline = giveBackAt;
        return deadline != null && !now.isBefore(deadline);
    }
}
