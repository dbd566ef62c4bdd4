package dev.pheromone.file.inbox;

import dev.pheromone.HiveConfig;
import dev.pheromone.Inbox;
import dev.pheromone.address.Domain;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.file.admission.Admission;
import dev.pheromone.file.admission.InboxPressure;
import dev.pheromone.file.admission.Mutes;
import dev.pheromone.file.admission.Parking;
import dev.pheromone.file.copy.Attendance;
import dev.pheromone.file.copy.Copies;
import dev.pheromone.file.copy.FileLimits;
import dev.pheromone.file.copy.InboxIndex;
import dev.pheromone.file.copy.PickCounter;
import dev.pheromone.file.log.GuardReports;
import dev.pheromone.trust.TrustList;

import java.time.InstantSource;

/// The inboxes of one hive, made from the parts that they share.
public final class Inboxes {

    private final Disk files;
    private final HiveLayout layout;
    private final HiveConfig config;
    private final TrustList trust;
    private final FileLimits limits;
    private final InstantSource clock;
    private final Copies copies;
    private final Attendance attendance;
    private final Admission admission;
    private final Mutes mutes;
    private final Parking parking;
    private final Retrieval retrieval;
    private final Settling settling;
    private final GuardReports reports;

    public Inboxes(
            Disk files,
            HiveLayout layout,
            HiveConfig config,
            TrustList trust,
            FileLimits limits,
            InstantSource clock,
            Copies copies,
            Attendance attendance,
            Admission admission,
            Mutes mutes,
            Parking parking,
            Retrieval retrieval,
            Settling settling,
            GuardReports reports) {
        this.files = files;
        this.layout = layout;
        this.config = config;
        this.trust = trust;
        this.limits = limits;
        this.clock = clock;
        this.copies = copies;
        this.attendance = attendance;
        this.admission = admission;
        this.mutes = mutes;
        this.parking = parking;
        this.retrieval = retrieval;
        this.settling = settling;
        this.reports = reports;
    }

    /// An inbox with an index of its own, for whoever closes it.
    public FileInbox open(Domain domain) {
        InboxIndex index =
                new InboxIndex(
                        files,
                        layout,
                        domain,
                        copies.inspector(),
                        copies.history(),
                        config,
                        limits);
        InboxPressure pressure = admission.pressure(domain);
        Chores chores =
                new Chores(
                        domain,
                        index,
                        retrieval,
                        copies,
                        mutes,
                        parking,
                        config.archive(),
                        limits.choresMax());
        Intake intake = new Intake(domain, files, layout, config, trust, copies, attendance);
        PickCounter picks = new PickCounter(files, layout.state(domain).resolve("picks"));
        Turns turns = new Turns(picks, pressure, config.dueTurn());
        Selecting selecting =
                new Selecting(
                        domain,
                        layout,
                        index,
                        turns,
                        copies.inspector(),
                        mutes,
                        chores,
                        intake,
                        clock);
        return new FileInbox(
                domain, files, layout, limits, clock, reports, index, pressure, chores, selecting,
                intake, settling);
    }

    /// The same inbox, where how work ended is told in the name of whoever holds the claim.
    public Inbox forHolders(Inbox inbox) {
        return new HoldersInbox(inbox, settling.asHolders());
    }
}
