package dev.pheromone.hive;

import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Selection;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;

import java.io.IOException;
import java.time.Duration;

/// Selects the next envelope of one inbox, in the name of one worker: a single step, without a
/// thread, a clock or a wait in it.
///
/// The claims she makes are attended: they end with this process, at once.
public final class Queen {

    private final Inbox inbox;
    private final Actor worker;
    private final Lease lease;

    /// A queen over `inbox`, whose claims last for `lease` without a sign of life.
    public Queen(Inbox inbox, Actor worker, Duration lease) {
        this.inbox = inbox;
        this.worker = worker;
        this.lease = Lease.attended(lease);
    }

    /// Takes the most urgent envelope that is ready, if there is one and no lock forbids it.
    public Selection select() throws IOException {
        return inbox.select(worker, lease);
    }

    /// The inbox she selects from.
    public Domain domain() {
        return inbox.domain();
    }
}
