package dev.pheromone.mqtt;

import java.util.function.Supplier;

/// How to prove to the broker who we are. Secrets are asked for when they are needed, and never
/// shown.
public sealed interface MqttLogin {

    /// The broker lets anybody in.
    record Nobody() implements MqttLogin {}

    /// A user and a password.
    record Password(String user, Supplier<String> password) implements MqttLogin {
        @Override
        public String toString() {
            return "password of " + user;
        }
    }
}
