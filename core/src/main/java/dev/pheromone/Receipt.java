package dev.pheromone;

import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;

import java.time.Duration;
import java.util.List;

/// What became of each copy of a sent envelope.
///
/// @param waited how long the sender was made to wait before, and why
public record Receipt(EnvelopeId id, ContentHash hash, List<Copy> copies, Wait waited) {

    public Receipt {
        copies = List.copyOf(copies);
    }

    /// What became of an envelope whose sender did not have to wait.
    public Receipt(EnvelopeId id, ContentHash hash, List<Copy> copies) {
        this(id, hash, copies, Wait.NONE);
    }

    /// The receipt of an envelope of which every copy came to the same end.
    ///
    /// @param targets the addresses of the copies
    public static Receipt forAll(Envelope envelope, List<Address> targets, SendResult result) {
        return new Receipt(
                envelope.id(),
                envelope.hash(),
                targets.stream()
                        .map(address -> new Copy(address, address.domain(), result))
                        .toList());
    }

    /// One copy: the first address that led to its inbox, and what happened.
    public record Copy(Address address, Domain inbox, SendResult result) {

        /// Whether it is there, or kept until it may go there: nobody has to send it again.
        public boolean isTaken() {
            return result instanceof SendResult.Delivered
                    || result instanceof SendResult.Duplicate
                    || result instanceof SendResult.Parked
                    || result instanceof SendResult.Spooled;
        }
    }

    /// The delay of a sender before an inbox under backpressure took its envelope.
    ///
    /// @param reason empty if there was no delay
    public record Wait(Duration length, String reason) {

        public static final Wait NONE = new Wait(Duration.ZERO, "");

        public boolean isNone() {
            return length.isZero();
        }
    }
}
