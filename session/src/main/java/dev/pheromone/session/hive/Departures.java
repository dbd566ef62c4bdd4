package dev.pheromone.session.hive;

import dev.pheromone.address.Actor;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.guard.PolicyGuard;
import dev.pheromone.session.seat.Seats;

import java.io.IOException;

/// Knows whose session is over, though nobody said so.
public interface Departures {

    /// As the seats of the hive at `layout` show it.
    static Departures of(HiveLayout layout, PolicyGuard guard) {
        return actor -> Seats.of(layout, guard).isGone(actor);
    }

    /// Whether the session of `actor` is known to be over: its program ended, or is gone. Who never
    /// had one has not left.
    boolean hasLeft(Actor actor) throws IOException;
}
