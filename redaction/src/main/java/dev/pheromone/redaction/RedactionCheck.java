package dev.pheromone.redaction;

import dev.pheromone.PublicCheck;
import dev.pheromone.SendResult;
import dev.pheromone.envelope.Envelope;

import java.util.List;
import java.util.Optional;

/// The check of public mail by redaction rules: mail in which they find something does not go. The
/// check changes nothing; taking out what was found is for the sender.
public final class RedactionCheck implements PublicCheck {

    private final Redactor redactor;

    public RedactionCheck(Redactor redactor) {
        this.redactor = redactor;
    }

    @Override
    public Optional<SendResult.NotPublic> objection(Envelope envelope) {
        return objection(PublicCopy.of(envelope, redactor));
    }

    /// Why the original of `copy` may not go as it is; empty if it may.
    public static Optional<SendResult.NotPublic> objection(PublicCopy copy) {
        List<String> kinds = copy.kinds();
        return kinds.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new SendResult.NotPublic(
                                kinds,
                                "it holds what must not become public: "
                                        + String.join(", ", kinds)));
    }
}
