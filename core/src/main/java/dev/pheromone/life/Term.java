package dev.pheromone.life;

import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.Header;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.selection.Urgency;

import org.jspecify.annotations.Nullable;

import java.time.Instant;

/// For how long a sender wants a copy to live.
///
/// @param ts when it was sent, by the sender's word
/// @param ttl null if the copy does not expire
public record Term(Instant ts, @Nullable Ttl ttl) {

    /// Of a copy that can't be read any more, or that nobody is to end by a clock that is doubted.
    public static final Term ENDLESS = new Term(Instant.EPOCH, null);

    public static Term of(Envelope envelope) {
        return new Term(envelope.ts(), envelope.ttl());
    }

    public static Term of(Header header) {
        return new Term(header.ts(), header.ttl());
    }

    /// Whether the time of a copy that was first seen at `firstSeen` is over.
    public boolean isOver(Instant firstSeen, Instant now) {
        return ttl != null && !now.isBefore(Urgency.expiresAt(ts, firstSeen, ttl.duration()));
    }
}
