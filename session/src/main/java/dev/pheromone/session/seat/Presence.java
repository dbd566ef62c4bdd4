package dev.pheromone.session.seat;

import dev.pheromone.session.caller.Ages;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

/// What a session does now, and how that is known.
public record Presence(State state, String evidence) {

    public enum State {
        WORKING,
        IDLE,
        /// It should be at work, and has given no sign of life for long.
        SILENT,
        GONE;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /// A tool may take so long without a hook in between.
    private static final Duration SILENCE = Duration.ofMinutes(10);

    /// What the session of `seat` does.
    public static Presence of(Seat seat, Instant now) {
        HarnessProcess process = seat.process();
        if (seat.turn() == Seat.Turn.OVER) {
            return new Presence(State.GONE, "it said that it ended, " + ago(seat.since(), now));
        }
        if (process != null && !process.isAlive()) {
            return new Presence(State.GONE, "its process " + process.pid() + " is gone");
        }
        String known =
                process == null
                        ? "its process is not known"
                        : "its process " + process.pid() + " runs";
        boolean isQuiet = seat.lastSeenAt().plus(SILENCE).isBefore(now);
        String sign = ", last sign of life " + ago(seat.lastSeenAt(), now);
        if (seat.turn() == Seat.Turn.WORKING) {
            return new Presence(isQuiet ? State.SILENT : State.WORKING, known + sign);
        }
        return process == null && isQuiet
                ? new Presence(State.SILENT, known + sign)
                : new Presence(State.IDLE, known + ", its turn ended " + ago(seat.since(), now));
    }

    private static String ago(Instant time, Instant now) {
        return Ages.relative(time.isAfter(now) ? now : time, now);
    }
}
