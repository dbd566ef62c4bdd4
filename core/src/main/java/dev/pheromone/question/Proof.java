package dev.pheromone.question;

import dev.pheromone.trust.SignatureCheck;

/// How well it is proven who gave an answer.
public enum Proof {
    /// A trusted key of whoever answered signed it.
    KEY("key"),
    /// A trusted passkey of whoever answered stands for it, as the event log tells.
    PASSKEY("passkey"),
    /// Nobody who was asked has a key: anybody may have written it.
    UNPROVEN("unproven");

    private final String word;

    Proof(String word) {
        this.word = word;
    }

    static Proof of(StoredAnswer answer) {
        return answer.check() instanceof SignatureCheck.Valid
                ? KEY
                : answer.isAsserted() ? PASSKEY : UNPROVEN;
    }

    /// The word on the wire.
    @Override
    public String toString() {
        return word;
    }
}
