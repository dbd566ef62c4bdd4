package dev.pheromone.file;

import dev.pheromone.address.Domain;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.file.inbox.FileInbox;
import dev.pheromone.file.log.GuardReports;
import dev.pheromone.file.setup.Finding;
import dev.pheromone.file.upkeep.Coverage;
import dev.pheromone.file.upkeep.Recovery;
import dev.pheromone.guard.WithheldException;

import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/// What keeps a hive in order: what is overdue is taken back, what is expired archived, and what
/// processes that died left half done is finished.
public final class Upkeep {

    private final HiveParts.Source hive;
    private final HiveLayout layout;
    private final GuardReports reports;
    private final InstantSource clock;

    Upkeep(HiveParts.Source hive, HiveLayout layout, GuardReports reports, InstantSource clock) {
        this.hive = hive;
        this.layout = layout;
        this.reports = reports;
        this.clock = clock;
    }

    /// Archives what is expired in all inboxes; for the person who approves it. Returns how many.
    public int archiveExpired() throws IOException {
        return hive.open().housekeeping.archiveExpired();
    }

    /// Finishes what processes that died left half done, and adds the events that they did not
    /// write.
    public List<Finding> recover(Recovery.Extent extent) throws IOException {
        return hive.open().recovery.get().run(extent);
    }

    /// Does what has to be done every now and then whether or not anybody sends or selects: takes
    /// back overdue claims, archives what is expired or no mail, finishes what dead processes left.
    /// For processes that stay, every 10 to 30 seconds. Returns what was fixed, or could not be.
    ///
    /// @throws WithheldException under a lock; then it is time to wait
    public List<Finding> housekeep() throws IOException {
        List<Finding> findings = hive.open().housekeeping.run();
        reports.free(clock.instant());
        return findings;
    }

    /// What [#recover] would fix, without a change.
    public List<Finding> recoverable(Recovery.Extent extent) throws IOException {
        return hive.open().recovery.get().look(extent);
    }

    /// The inboxes whose kept headers are not what the files say, by a look at every file.
    public List<Finding> wrongHeaders() throws IOException {
        return lookAtHeaders((inbox, name, found) -> Finding.fixable(name, found));
    }

    /// As [#wrongHeaders], and throws those headers away: the next reader keeps them anew.
    public List<Finding> dropWrongHeaders() throws IOException {
        return lookAtHeaders((inbox, name, found) -> {
            inbox.dropHeaders();
            return Finding.fixed(name, found);
        });
    }

    private interface Treatment {
        Finding of(FileInbox inbox, String name, String found);
    }

    private List<Finding> lookAtHeaders(Treatment treatment) throws IOException {
        List<Finding> findings = new ArrayList<>();
        for (Domain domain : hive.open().addresses.domains()) {
            try (FileInbox inbox = hive.open().inboxes.open(domain)) {
                int wrong = inbox.countWrongHeaders();
                if (wrong > 0) {
                    findings.add(
                            treatment.of(
                                    inbox,
                                    layout.nameOf(layout.headers(domain)),
                                    wrong + " kept headers that the files contradict"));
                }
            }
        }
        return findings;
    }

    /// How much of what happened to envelopes since `oldest`, as far as files prove it, is in the
    /// log. Of archived mail whole days count.
    public Coverage coverage(Instant oldest) throws IOException {
        return hive.open().missingEvents.get().count(oldest, clock.instant());
    }

    /// Whether expired mail is kept where it is, because the clock is doubted; then the
    /// [problems][FileTransport#problems] say so.
    public boolean keepsExpired() throws IOException {
        return hive.open().copies.clockDoubt().isDoubted(clock.instant());
    }
}
