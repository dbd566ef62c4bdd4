package dev.pheromone.life;

import dev.pheromone.rse.RseEvent.RsmEnvelopeReturn.Reason;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Locale;

/// One step in the life of a copy: what was done, and the life after it. [MailEvents] says which
/// events a step leaves.
public sealed interface Step {

    /// The life after the step.
    Life life();

    /// Somebody got a claim.
    ///
    /// @param isFirst whether nobody had one before
    record Claimed(Life life, ClaimToken claim, boolean isFirst) implements Step {}

    /// The lease of a claim begins anew.
    record Renewed(Life life) implements Step {}

    /// As `Renewed`, by a holder who says that the work is taken on.
    record Accepted(Life life, int attempt, String note) implements Step {}

    /// A claim ended, and with it maybe the copy.
    ///
    /// @param attempt of the claim
    /// @param pause how long nobody is to take the copy
    record Closed(Life life, int attempt, Closing closing, Duration pause) implements Step {}

    /// A copy ended without work.
    record Ended(Life life) implements Step {}

    /// How a claim ended.
    enum Closing {
        /// Its holder is done.
        DONE,
        /// Its holder failed.
        FAILED,
        /// Its holder gave the copy back, which counts for nothing.
        RELEASED,
        /// Its lease ended, which counts as a failure.
        LEASE;

        /// The closing of that name; fails on any other text.
        public static Closing parse(String text) {
            for (Closing closing : values()) {
                if (closing.toString().equals(text)) {
                    return closing;
                }
            }
            throw new IllegalArgumentException(
                    "closing: found \"" + text + "\", expected done, failed, released or lease");
        }

        /// How a claim ended that came back for `reason`.
        public static Closing of(Reason reason) {
            return switch (reason) {
                case FAILED -> FAILED;
                case RELEASED -> RELEASED;
                case LEASE -> LEASE;
            };
        }

        /// Why the copy came back, as events have it; null if it did not.
        public @Nullable Reason reason() {
            return switch (this) {
                case DONE -> null;
                case FAILED -> Reason.FAILED;
                case RELEASED -> Reason.RELEASED;
                case LEASE -> Reason.LEASE;
            };
        }

        /// Whether it counts as a failed attempt.
        public boolean isFailure() {
            return this == FAILED || this == LEASE;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
