package dev.pheromone.nats;

import java.util.function.Supplier;

/// How to prove to the server who we are. Secrets are asked for when they are needed, and never
/// shown.
public sealed interface NatsLogin {

    /// The server lets anybody in.
    record Nobody() implements NatsLogin {}

    /// A token that all share.
    record Token(Supplier<String> token) implements NatsLogin {
        @Override
        public String toString() {
            return "token";
        }
    }

    /// A user and a password.
    record Password(String user, Supplier<String> password) implements NatsLogin {
        @Override
        public String toString() {
            return "password of " + user;
        }
    }
}
