package dev.pheromone.session.hive;

import dev.pheromone.State;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Header;
import dev.pheromone.envelope.MalformedEnvelopeException;
import dev.pheromone.file.upkeep.Catalog;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
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
        @Nullable String reason) {

    /// When a copy ended; the beginning of time if nobody knows.
    public static Instant endOf(Catalog.Item item) {
        return item.since() == null ? Instant.EPOCH : item.since();
    }

    /// The header of a copy; null if the file is no envelope, or went on its way.
    public static @Nullable Header headerOf(OpenHive hive, Catalog.Item item) throws IOException {
        try {
            byte[] bytes = hive.catalog().read(item);
            return Header.parse(bytes, bytes.length);
        } catch (MalformedEnvelopeException | NoSuchFileException e) {
            return null;
        }
    }
}
