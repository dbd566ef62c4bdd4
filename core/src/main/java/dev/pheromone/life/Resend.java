package dev.pheromone.life;

/// What becomes of mail that is sent under an id which the inbox has met before.
public sealed interface Resend {

    /// A new life begins: what was there before has left the id free.
    record Anew() implements Resend {}

    /// The same mail is there or was finished, which is success: nothing is stored.
    record Duplicate() implements Resend {}

    /// Other mail has this id: nothing is stored.
    record Conflict(String reason) implements Resend {}

    /// How mail compares with other mail of its id.
    enum Likeness {
        SAME,
        OTHER
    }
}
