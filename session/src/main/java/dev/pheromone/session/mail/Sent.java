package dev.pheromone.session.mail;

import dev.pheromone.Receipt;
import dev.pheromone.SendResult;
import dev.pheromone.envelope.Envelope;

import org.jspecify.annotations.Nullable;

/// What became of mail that was sent, copy by copy.
public sealed interface Sent {

    Envelope envelope();

    Receipt receipt();

    /// The transport of hive.yaml by which the mail went; null for the hive's own inboxes.
    @Nullable String transport();

    /// Each copy arrived, or is kept and goes on by itself.
    record Accepted(Envelope envelope, Receipt receipt, @Nullable String transport)
            implements Sent {}

    /// Some copy did neither, and its result says why; others may have arrived.
    record Incomplete(Envelope envelope, Receipt receipt, @Nullable String transport)
            implements Sent {}

    /// What `receipt` says of all the copies.
    static Sent of(Envelope envelope, Receipt receipt, @Nullable String transport) {
        return receipt.copies().stream().allMatch(copy -> isAccepted(copy.result()))
                ? new Accepted(envelope, receipt, transport)
                : new Incomplete(envelope, receipt, transport);
    }

    private static boolean isAccepted(SendResult result) {
        return switch (result) {
            case SendResult.Delivered _,
                    SendResult.Unconfirmed _,
                    SendResult.Duplicate _,
                    SendResult.Parked _,
                    SendResult.Spooled _,
                    SendResult.Unanswered _ ->
                    true;
            case SendResult.Conflict _,
                    SendResult.Withheld _,
                    SendResult.Refused _,
                    SendResult.BeyondConsent _,
                    SendResult.NotPublic _,
                    SendResult.Rejected _,
                    SendResult.Failed _ ->
                    false;
        };
    }

    /// Whether some inbox has other mail of the same id.
    default boolean isConflict() {
        return receipt().copies().stream()
                .anyMatch(copy -> copy.result() instanceof SendResult.Conflict);
    }
}
