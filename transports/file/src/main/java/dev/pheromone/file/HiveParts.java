package dev.pheromone.file;

import dev.pheromone.HiveConfig;
import dev.pheromone.address.Actor;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.file.admission.Admission;
import dev.pheromone.file.admission.AdmissionEvents;
import dev.pheromone.file.admission.Mutes;
import dev.pheromone.file.admission.Parking;
import dev.pheromone.file.admission.Refusals;
import dev.pheromone.file.copy.AddressBook;
import dev.pheromone.file.copy.Attendance;
import dev.pheromone.file.copy.Copies;
import dev.pheromone.file.copy.Drop;
import dev.pheromone.file.copy.FileLimits;
import dev.pheromone.file.copy.Journal;
import dev.pheromone.file.inbox.Homecoming;
import dev.pheromone.file.inbox.Inboxes;
import dev.pheromone.file.inbox.MutedSenders;
import dev.pheromone.file.inbox.Reaper;
import dev.pheromone.file.inbox.Retrieval;
import dev.pheromone.file.inbox.Settling;
import dev.pheromone.file.log.GuardReports;
import dev.pheromone.file.remote.Outboxes;
import dev.pheromone.file.upkeep.Catalog;
import dev.pheromone.file.upkeep.Housekeeping;
import dev.pheromone.file.upkeep.MissingEvents;
import dev.pheromone.file.upkeep.Recovery;
import dev.pheromone.rse.RseLog;
import dev.pheromone.trust.TrustList;

import java.io.IOException;
import java.time.InstantSource;
import java.util.function.Supplier;

/// The rooms of one open hive, joined: each class gets the parts that it needs, and knows nothing
/// of the others.
final class HiveParts {

    /// Where the parts come from, once no lock keeps the hive from being opened.
    interface Source {
        HiveParts open() throws IOException;
    }

    final Disk files;
    final HiveLayout layout;
    final HiveConfig config;
    final TrustList trust;
    final Actor self;
    final InstantSource clock;
    final GuardReports reports;
    final Copies copies;
    final Attendance attendance;
    final AddressBook addresses;
    final Admission admission;
    final Refusals refusals;
    final Homecoming homecoming;
    final Retrieval retrieval;
    final Inboxes inboxes;
    final MutedSenders muted;
    final Dispatch dispatch;
    final Outboxes outboxes;
    final Catalog catalog;
    final Supplier<MissingEvents> missingEvents;
    final Supplier<Recovery> recovery;
    final Housekeeping housekeeping;

    HiveParts(
            Disk files,
            HiveLayout layout,
            HiveConfig config,
            TrustList trust,
            FileLimits limits,
            RseLog log,
            Actor self,
            InstantSource clock) {
        this.files = files;
        this.layout = layout;
        this.config = config;
        this.trust = trust;
        this.self = self;
        this.clock = clock;
        this.reports = new GuardReports(files, layout, log, self);

        this.copies = new Copies(files, layout, limits, limits.life(config), log, self);
        Journal journal = copies.journal();
        this.attendance = new Attendance(files, layout);
        this.addresses = new AddressBook(files, layout, config);
        Drop drop = new Drop(files, layout, copies, clock, InstantSource.system());

        AdmissionEvents events = new AdmissionEvents(journal, self);
        Mutes mutes = new Mutes(files, layout);
        this.admission = new Admission(files, layout, config, limits, copies, events);
        this.refusals = new Refusals(files, layout, events, journal);
        Parking parking = new Parking(files, layout, copies, drop, mutes, admission, events);
        this.dispatch =
                new Dispatch(
                        files, layout, config, addresses, drop, admission, refusals, mutes, parking,
                        journal, clock);

        Settling settling = new Settling(files, layout, copies, reports, clock);
        Reaper reaper =
                new Reaper(files, layout, copies.claims(), attendance, journal, limits, clock);
        this.homecoming = new Homecoming(files, layout, addresses, settling, clock);
        this.retrieval = new Retrieval(files, layout, homecoming, reaper, parking, journal);
        this.inboxes =
                new Inboxes(
                        files,
                        layout,
                        config,
                        trust,
                        limits,
                        clock,
                        copies,
                        attendance,
                        admission,
                        mutes,
                        parking,
                        retrieval,
                        settling,
                        reports);
        this.muted = new MutedSenders(mutes, parking, events, addresses, inboxes, journal, clock);

        this.outboxes = new Outboxes(files, layout, config, limits, copies, clock);

        this.catalog = new Catalog(files, layout, copies, addresses, parking, outboxes, clock);
        this.missingEvents =
                () -> new MissingEvents(files, layout, limits.settledMin(), copies, addresses, log);
        this.recovery =
                () ->
                        new Recovery(
                                files,
                                layout,
                                limits.settledMin(),
                                copies,
                                attendance,
                                addresses,
                                admission,
                                reaper,
                                homecoming,
                                missingEvents.get(),
                                clock);
        this.housekeeping =
                new Housekeeping(
                        recovery, homecoming, reaper, parking, refusals, addresses, inboxes, clock);
    }
}
