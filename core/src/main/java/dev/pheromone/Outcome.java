package dev.pheromone;

import java.time.Duration;

/// How work on a claimed envelope ended.
public sealed interface Outcome {

    /// What the worker has to say about it; may be empty.
    String note();

    /// The work is done, for good.
    record Done(String note) implements Outcome {}

    /// It did not work: the envelope waits for another attempt, or is dead if it had its last.
    record Failed(String note) implements Outcome {}

    /// Given back untouched: not counted as an attempt.
    ///
    /// @param pause how long nobody is to take it; zero if it can be taken at once
    record Released(String note, Duration pause) implements Outcome {

        public Released {
            if (pause.isNegative()) {
                throw new IllegalArgumentException(
                        "pause: found " + pause + ", expected zero or more");
            }
        }

        /// Given back for others to take at once.
        public Released(String note) {
            this(note, Duration.ZERO);
        }
    }
}
