package dev.pheromone;

import java.util.List;

/// What became of each copy of a sent envelope.
public record Receipt(EnvelopeId id, ContentHash hash, List<Copy> copies) {

    public Receipt {
        copies = List.copyOf(copies);
    }

    /// One copy: the first address that led to its inbox, and what happened.
    public record Copy(Address address, Domain inbox, SendResult result) {}
}
