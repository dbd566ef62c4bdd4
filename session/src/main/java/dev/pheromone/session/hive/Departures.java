package dev.pheromone.session.hive;

import dev.pheromone.address.Actor;

import java.io.IOException;

/// Knows whose session is over, though nobody said so.
public interface Departures {

    /// Nobody's, as far as is known.
    Departures UNKNOWN = actor -> false;

    /// Whether the session of `actor` is known to be over: its program ended, or is gone. Who never
    /// had one has not left.
    boolean hasLeft(Actor actor) throws IOException;
}
