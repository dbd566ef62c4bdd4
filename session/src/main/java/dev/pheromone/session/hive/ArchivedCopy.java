package dev.pheromone.session.hive;

import dev.pheromone.State;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Header;

import org.jspecify.annotations.Nullable;

import java.time.Instant;

/// A copy that ended, and how.
///
/// @param endedAt null if nobody knows
/// @param header null if the file is no envelope
/// @param reason why the copy ended so; null if nobody noted it
public record ArchivedCopy(
        @Nullable EnvelopeId id,
        Domain inbox,
        State state,
        @Nullable Instant endedAt,
        String path,
        @Nullable Header header,
        @Nullable String reason) {}
