package dev.pheromone.file;

import dev.pheromone.HiveConfig;
import dev.pheromone.address.Actor;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.Publication;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.file.copy.AddressBook;
import dev.pheromone.file.copy.Attendance;
import dev.pheromone.file.copy.ClaimedFiles;
import dev.pheromone.file.copy.ClockDoubt;
import dev.pheromone.file.copy.Drop;
import dev.pheromone.file.copy.FileLimits;
import dev.pheromone.file.copy.History;
import dev.pheromone.file.copy.Inspector;
import dev.pheromone.file.copy.Journal;
import dev.pheromone.file.copy.Leftovers;
import dev.pheromone.file.copy.SeenSet;
import dev.pheromone.file.log.GuardReports;
import dev.pheromone.guard.Access;
import dev.pheromone.rse.RseLog;
import dev.pheromone.trust.SignatureCheck;
import dev.pheromone.trust.TrustList;

import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/// The parts of one open hive, joined: what inboxes, the reaper and recovery share.
final class FileHive {

    private final Disk files;
    private final HiveLayout layout;
    private final HiveConfig config;
    private final TrustList trust;
    private final FileLimits limits;
    private final InstantSource clock;
    private final Inspector inspector;
    private final History history;
    private final SeenSet seen;
    private final Leftovers leftovers;
    private final ClockDoubt clockDoubt;
    private final ClaimedFiles claims;
    private final Attendance attendance;
    private final Journal journal;
    private final Reaper reaper;
    private final AddressBook addresses;
    private final Drop drop;
    private final RseLog log;
    private final Actor self;
    private final GuardReports reports;
    private final AdmissionEvents events;
    private final Admission admission;
    private final Refusals refusals;
    private final Mutes mutes;
    private final Parking parking;

    FileHive(
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
        this.limits = limits;
        this.clock = clock;
        this.inspector = new Inspector(files, layout, limits);
        this.history = new History(files, layout, self);
        this.seen = new SeenSet(files, layout);
        this.leftovers = new Leftovers(files, layout, history);
        this.clockDoubt = new ClockDoubt(files, layout);
        this.claims =
                new ClaimedFiles(
                        files,
                        layout,
                        seen,
                        history,
                        inspector,
                        leftovers,
                        this::doubtsClock,
                        limits.life(config));
        this.attendance = new Attendance(files, layout);
        this.journal = new Journal(log, self);
        this.reaper = new Reaper(files, layout, claims, attendance, journal, limits, clock);
        this.addresses = new AddressBook(files, layout, config);
        this.drop = new Drop(files, layout, seen, inspector, InstantSource.system());
        this.log = log;
        this.self = self;
        this.reports = new GuardReports(files, layout, log, self);
        this.events = new AdmissionEvents(journal, self);
        this.mutes = new Mutes(files, layout);
        this.admission = new Admission(this);
        this.refusals = new Refusals(this);
        this.parking = new Parking(this);
    }

    /// The same hive, in the name of `actor`.
    FileHive as(Actor actor) {
        return actor.equals(self)
                ? this
                : new FileHive(files, layout, config, trust, limits, log, actor, clock);
    }

    GuardReports reports() {
        return reports;
    }

    AdmissionEvents events() {
        return events;
    }

    Admission admission() {
        return admission;
    }

    Refusals refusals() {
        return refusals;
    }

    Mutes mutes() {
        return mutes;
    }

    Parking parking() {
        return parking;
    }

    Actor self() {
        return self;
    }

    Instant now() {
        return clock.instant();
    }

    SignatureCheck checkSignature(Envelope envelope, Instant now) {
        return trust.check(envelope, now, config.signatures());
    }

    Disk files() {
        return files;
    }

    TrustList trust() {
        return trust;
    }

    HiveLayout layout() {
        return layout;
    }

    HiveConfig config() {
        return config;
    }

    FileLimits limits() {
        return limits;
    }

    Inspector inspector() {
        return inspector;
    }

    Publication publication() {
        return new Publication(files);
    }

    ClockDoubt clockDoubt() {
        return clockDoubt;
    }

    /// Whether the clock that says `now` may be ahead: then no mail is ended because its time is
    /// over. People are told.
    boolean doubtsClock(Instant now) throws IOException {
        Optional<ClockDoubt.Doubt> doubt = clockDoubt.check(now);
        doubt.ifPresent(found -> journal.problem(found.text()));
        return doubt.isPresent();
    }

    Leftovers leftovers() {
        return leftovers;
    }

    History history() {
        return history;
    }

    SeenSet seen() {
        return seen;
    }

    ClaimedFiles claims() {
        return claims;
    }

    Attendance attendance() {
        return attendance;
    }

    Journal journal() {
        return journal;
    }

    Reaper reaper() {
        return reaper;
    }

    AddressBook addresses() {
        return addresses;
    }

    Drop drop() {
        return drop;
    }

    /// Fails if a lock keeps the event log from being written: what may not be told is not done.
    void requireLog() throws IOException {
        files().require(layout().log(), Access.WRITE);
    }
}
