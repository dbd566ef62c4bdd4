package dev.pheromone.session.hive;

import dev.pheromone.trust.SignatureCheck;

/// How well it is proven who wrote an envelope.
public enum Proof {
    /// The key of a person vouches for the sender.
    PERSON("person", "a person, proven by key"),

    /// The key of an agent vouches for the sender.
    AGENT("agent", "an agent, proven by key"),

    /// Nobody vouches for the sender.
    NONE("unproven", "unproven, anybody may have written this"),

    /// The signature is wrong.
    FORGED("forged", "FORGED: the signature is wrong");

    private final String word;
    private final String phrase;

    Proof(String word, String phrase) {
        this.word = word;
        this.phrase = phrase;
    }

    public static Proof of(SignatureCheck check) {
        return switch (check) {
            case SignatureCheck.Valid valid -> valid.human() ? PERSON : AGENT;
            case SignatureCheck.Unsigned _ -> NONE;
            case SignatureCheck.Bad _ -> FORGED;
        };
    }

    /// A word that programs can compare.
    public String word() {
        return word;
    }

    /// What a reader is told beside the sender's name.
    public String phrase() {
        return phrase;
    }
}
