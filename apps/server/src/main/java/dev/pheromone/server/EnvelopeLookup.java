package dev.pheromone.server;

import dev.pheromone.State;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.life.Acceptance;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// Finds an envelope wherever it is in its life. Not every transport can: there is one that finds
/// none.
public interface EnvelopeLookup {

    /// One copy of an envelope, and where it has got to.
    ///
    /// @param objections what speaks against handing it to a worker
    record Found(
            Envelope envelope, Domain inbox, State state, List<Acceptance.Objection> objections) {}

    Optional<Found> find(EnvelopeId id) throws IOException;

    /// The copy in `inbox`.
    default Optional<Found> find(EnvelopeId id, Domain inbox) throws IOException {
        return find(id).filter(found -> found.inbox().equals(inbox));
    }

    static EnvelopeLookup none() {
        return _ -> Optional.empty();
    }
}
