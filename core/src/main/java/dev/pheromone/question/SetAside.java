package dev.pheromone.question;

/// An answer that does not count, and why.
///
/// @param reason why, for people
public record SetAside(StoredAnswer answer, Why why, String reason) {

    /// What speaks against an answer, in the order in which it counts.
    public enum Why {
        /// Its body is not the one that its hash names.
        HASH("hash"),
        /// Its signature does not hold, or is missing where its sender has a key.
        SIGNATURE("signature"),
        /// Its sender was not asked.
        NOT_ASKED("not_asked"),
        /// It is none of the choices.
        CHOICE("choice"),
        /// Another answer counts, or the question had ended.
        LATE("late");

        private final String word;

        Why(String word) {
            this.word = word;
        }

        /// The word on the wire.
        @Override
        public String toString() {
            return word;
        }
    }
}
