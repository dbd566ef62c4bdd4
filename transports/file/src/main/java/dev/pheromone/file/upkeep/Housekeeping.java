package dev.pheromone.file.upkeep;

import dev.pheromone.address.Domain;
import dev.pheromone.file.admission.Parking;
import dev.pheromone.file.admission.Refusals;
import dev.pheromone.file.copy.AddressBook;
import dev.pheromone.file.inbox.FileInbox;
import dev.pheromone.file.inbox.Homecoming;
import dev.pheromone.file.inbox.Inboxes;
import dev.pheromone.file.inbox.Reaper;
import dev.pheromone.file.setup.Finding;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/// What has to be done in a hive every now and then, whether or not anybody sends or selects: for
/// processes that stay. Any number of them may do it at once.
public final class Housekeeping {

    /// Recovery reads the whole event log, and what it looks for is at least a minute old anyway.
    private static final Duration RECOVERY_INTERVAL = Duration.ofMinutes(5);

    private final Supplier<Recovery> recovery;
    private final Homecoming homecoming;
    private final Reaper reaper;
    private final Parking parking;
    private final Refusals refusals;
    private final AddressBook addresses;
    private final Inboxes inboxes;
    private final InstantSource clock;
    private @Nullable Instant recoveredAt;

    public Housekeeping(
            Supplier<Recovery> recovery,
            Homecoming homecoming,
            Reaper reaper,
            Parking parking,
            Refusals refusals,
            AddressBook addresses,
            Inboxes inboxes,
            InstantSource clock) {
        this.recovery = recovery;
        this.homecoming = homecoming;
        this.reaper = reaper;
        this.parking = parking;
        this.refusals = refusals;
        this.addresses = addresses;
        this.inboxes = inboxes;
        this.clock = clock;
    }

    /// Does what there is to do now; returns what was found half done and was fixed, or could not
    /// be.
    public synchronized List<Finding> run() throws IOException {
        Instant now = clock.instant();
        List<Finding> findings = new ArrayList<>();
        if (recoveredAt == null || !now.isBefore(recoveredAt.plus(RECOVERY_INTERVAL))) {
            findings.addAll(recovery.get().run(Recovery.Extent.RECENT));
            recoveredAt = now;
        } else {
            homecoming.run();
        }
        parking.deliverAll(now);
        for (Domain domain : addresses.domains()) {
            reaper.reap(domain, now);
            try (FileInbox inbox = inboxes.open(domain)) {
                inbox.tidy();
            }
            refusals.tellRest(domain, clock.instant());
        }
        return findings;
    }

    /// Archives what is expired in all inboxes, for the person who approves it; returns how many.
    public int archiveExpired() throws IOException {
        int count = 0;
        for (Domain domain : addresses.domains()) {
            try (FileInbox inbox = inboxes.open(domain)) {
                count += inbox.expireAll();
            }
        }
        return count;
    }
}
