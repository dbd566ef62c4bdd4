package dev.pheromone.file.inbox;

import dev.pheromone.address.Domain;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.file.admission.Parking;
import dev.pheromone.file.copy.Journal;
import dev.pheromone.guard.Access;
import dev.pheromone.guard.WithheldException;

import java.io.IOException;
import java.time.Instant;

/// Brings back what an inbox has coming: outcomes and events that a lock kept, copies whose holders
/// died or fell silent, and parked mail whose mute is over.
///
/// Withheld if the log is locked: what may not be told is not done.
public final class Retrieval {

    private final Disk files;
    private final HiveLayout layout;
    private final Homecoming homecoming;
    private final Reaper reaper;
    private final Parking parking;
    private final Journal journal;

    public Retrieval(
            Disk files,
            HiveLayout layout,
            Homecoming homecoming,
            Reaper reaper,
            Parking parking,
            Journal journal) {
        this.files = files;
        this.layout = layout;
        this.homecoming = homecoming;
        this.reaper = reaper;
        this.parking = parking;
        this.journal = journal;
    }

    /// Brings back all of it. Mostly there is none: one pass through the gate finds that out.
    void run(Domain domain, Instant now) throws IOException {
        boolean fromMirror;
        boolean fromHolders;
        boolean fromParking;
        try (Disk.Operation _ = files.begin()) {
            requireLog();
            fromMirror = homecoming.isNeeded();
            fromHolders = reaper.isNeeded(domain);
            fromParking = parking.isNeeded();
        }
        if (fromMirror) {
            homecoming.run();
        }
        if (fromHolders) {
            reaper.reap(domain, now);
        }
        if (fromParking) {
            parking.deliverSome(now);
        }
    }

    /// Brings back all of it for who only wants to look. A disk that can't be written, such as a
    /// read-only one, is a trouble: what waits can be seen all the same.
    public void inPassing(Domain domain, Instant now) throws IOException {
        requireLog();
        try {
            homecoming.run();
            reaper.reap(domain, now);
            parking.deliverInPassing(now);
        } catch (WithheldException e) {
            throw e;
        } catch (IOException e) {
            journal.trouble("what others lost in " + domain, e);
        }
    }

    /// Takes copies back from their holders.
    void fromHolders(Domain domain, Instant now) throws IOException {
        requireLog();
        reaper.reap(domain, now);
    }

    private void requireLog() throws IOException {
        files.require(layout.log(), Access.WRITE);
    }
}
