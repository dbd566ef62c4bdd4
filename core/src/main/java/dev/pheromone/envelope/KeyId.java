package dev.pheromone.envelope;

import dev.pheromone.address.Actor;

/// The name of a key: what `kid` says in a header, and what `trust.yaml` lists.
public record KeyId(String name) {

    public KeyId {
        if (!Actor.isValid(name)) {
            throw new IllegalArgumentException(
                    "key id: found \""
                            + name
                            + "\", expected 1 to 64 letters, digits, dots, dashes or underscores,"
                            + " beginning with a letter or digit");
        }
    }

    /// The key of that name; fails on what is no name.
    public static KeyId parse(String text) {
        return new KeyId(text);
    }

    @Override
    public String toString() {
        return name;
    }
}
