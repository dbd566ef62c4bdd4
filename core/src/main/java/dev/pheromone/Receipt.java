package dev.pheromone;

import java.util.List;

/// What became of each copy of a sent envelope.
public record Receipt(EnvelopeId id, ContentHash hash, List<Copy> copies) {

    public Receipt {
        copies = List.copyOf(copies);
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
}
