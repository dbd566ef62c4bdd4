package dev.pheromone.session.seat;

import dev.pheromone.session.seat.Memory.Heard;

import java.util.List;

/// What a bell has to say at one moment.
public sealed interface Ringing {

    /// Nothing.
    record Silence() implements Ringing {}

    /// A text for the session.
    final class Rung implements Ringing {
        private final String text;
        private final boolean holds;
        private final Seat seat;
        private final Moment moment;
        private final String nonceHash;
        private final List<Heard> named;

        Rung(
                String text,
                boolean holds,
                Seat seat,
                Moment moment,
                String nonceHash,
                List<Heard> named) {
            this.text = text;
            this.holds = holds;
            this.seat = seat;
            this.moment = moment;
            this.nonceHash = nonceHash;
            this.named = List.copyOf(named);
        }

        public String text() {
            return text;
        }

        /// Whether the session is to go on instead of stopping.
        public boolean holds() {
            return holds;
        }

        Seat seat() {
            return seat;
        }

        Moment moment() {
            return moment;
        }

        /// Empty if the text has no nonce, and can prove nothing.
        String nonceHash() {
            return nonceHash;
        }

        List<Heard> named() {
            return named;
        }
    }
}
