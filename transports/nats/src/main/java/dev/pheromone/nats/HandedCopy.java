package dev.pheromone.nats;

import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Priority;

import java.time.Instant;

/// A copy that the server handed to us and, for a while, to nobody else. Not a claim yet.
///
/// @param isFirst whether nobody was handed it before, so that nobody can have claimed it
/// @param firstSeen when it was sent, by its sender's clock; or by the server's, if that is not
///   known
/// @param ackSubject where to tell what became of it
// HandedCopies are never compared, and nobody writes into the bytes.
@SuppressWarnings("ArrayRecordComponent")
record HandedCopy(
        Priority priority,
        EnvelopeId id,
        byte[] bytes,
        long sequence,
        boolean isFirst,
        Instant firstSeen,
        String ackSubject) {}
