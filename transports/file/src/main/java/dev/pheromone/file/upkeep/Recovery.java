package dev.pheromone.file.upkeep;

import dev.pheromone.address.Domain;
import dev.pheromone.disk.Boot;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.Stat;
import dev.pheromone.disk.Trouble;
import dev.pheromone.file.admission.Admission;
import dev.pheromone.file.copy.AddressBook;
import dev.pheromone.file.copy.Attendance;
import dev.pheromone.file.copy.ClaimName;
import dev.pheromone.file.copy.ClaimedFiles;
import dev.pheromone.file.copy.ClockDoubt;
import dev.pheromone.file.copy.Copies;
import dev.pheromone.file.copy.InboxIndex;
import dev.pheromone.file.copy.ReturnName;
import dev.pheromone.file.inbox.Homecoming;
import dev.pheromone.file.inbox.Reaper;
import dev.pheromone.file.setup.Finding;
import dev.pheromone.file.setup.VolumeProbe;
import dev.pheromone.guard.WithheldException;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Finishes what processes that died left half done. Every step of the file protocol leaves a trace
/// from which the rest can be done by anybody; this looks for those traces.
///
/// One process at a time does it, and leaves alone what is so young that its owner may only be
/// slow.
public final class Recovery {

    /// How far back to look.
    public enum Extent {
        /// Since yesterday: for processes that recover regularly.
        RECENT,
        ALL
    }

    /// What the name of the mark begins with that tells since which start of the machine the log is
    /// complete.
    private static final String BOOT_PREFIX = ".boot-";

    private static final String LATE_RETURN = "a return that was never completed";
    private static final String UNARCHIVED = "finished, but not archived";
    private static final String LEFTOVER = "another name of a copy that has gone on";
    private static final String STALE_MARK = "a mark of work that nobody does";

    private final Disk files;
    private final HiveLayout layout;
    private final Duration settledMin;
    private final Copies copies;
    private final ClaimedFiles claims;
    private final Attendance attendance;
    private final AddressBook addresses;
    private final Admission admission;
    private final Reaper reaper;
    private final Homecoming homecoming;
    private final MissingEvents missing;
    private final InstantSource clock;
    private final List<Finding> findings = new ArrayList<>();

    /// One recovery.
    ///
    /// @param settledMin how old a trace must be for its owner not to be merely slow
    public Recovery(
            Disk files,
            HiveLayout layout,
            Duration settledMin,
            Copies copies,
            Attendance attendance,
            AddressBook addresses,
            Admission admission,
            Reaper reaper,
            Homecoming homecoming,
            MissingEvents missing,
            InstantSource clock) {
        this.files = files;
        this.layout = layout;
        this.settledMin = settledMin;
        this.copies = copies;
        this.claims = copies.claims();
        this.attendance = attendance;
        this.addresses = addresses;
        this.admission = admission;
        this.reaper = reaper;
        this.homecoming = homecoming;
        this.missing = missing;
        this.clock = clock;
    }

    /// Recovers, and says what was found and fixed. Does nothing if another process is at it.
    public List<Finding> run(Extent extent) throws IOException {
        files.createFolder(layout.attendants());
        Optional<Closeable> lock = files.tryLock(layout.recoveryLock());
        if (lock.isEmpty()) {
            return List.of();
        }
        try (Closeable _ = lock.get()) {
            Instant now = clock.instant();
            tellDoubt(now);
            homecoming.run();
            for (Domain domain : addresses.domains()) {
                removeLeftovers(domain, now);
                completeReturns(domain, now);
                completeFinishes(domain, now);
                reaper.reap(domain, now);
                removeStaleMarks(domain, now);
                removeDrafts(domain, now);
                admission.pressure(domain).finish(now);
            }
            removeAttendants();
            removeProbes(now);
            findings.addAll(missing.add(extent, now));
        }
        // A file may be in the way of more than one step.
        return findings.stream().distinct().toList();
    }

    /// Adds the events that a power cut took from the log, if nobody has since the machine was
    /// started: mail proves them, so nobody forces them. Does nothing if another process is at it.
    public void completeLog(Boot boot) throws IOException {
        Path mark = layout.states().resolve(BOOT_PREFIX + boot.id());
        if (files.exists(mark)) {
            return;
        }
        files.createFolder(layout.states());
        Optional<Closeable> lock = files.tryLock(layout.recoveryLock());
        if (lock.isEmpty()) {
            return;
        }
        try (Closeable _ = lock.get()) {
            missing.addAfterBoot(boot.age(), clock.instant());
            for (Path entry : files.list(layout.states())) {
                if (nameOf(entry).startsWith(BOOT_PREFIX)) {
                    files.remove(entry);
                }
            }
            files.create(mark, new byte[0]);
        }
    }

    /// What [#run] would fix, without doing it. Drafts and lock files that were left behind are not
    /// among it: they keep nothing from its end.
    public List<Finding> look(Extent extent) throws IOException {
        Instant now = clock.instant();
        tellDoubt(now);
        for (Domain domain : addresses.domains()) {
            fix(layout.active(domain), () -> look(domain, now));
        }
        fix(layout.log(), () -> findings.addAll(missing.look(extent, now)));
        return findings.stream().distinct().toList();
    }

    private void tellDoubt(Instant now) throws IOException {
        Optional<ClockDoubt.Doubt> doubt = copies.clockDoubt().look(now);
        if (doubt.isPresent()) {
            findings.add(
                    new Finding(
                            Finding.Severity.WARNING,
                            "clock",
                            doubt.get().text(),
                            "a clock within a day of the last sign of life",
                            "look at the output of date; if it is right, go on: the doubt ends by"
                                    + " itself"));
        }
    }

    private void look(Domain domain, Instant now) throws IOException {
        Set<String> returning = new HashSet<>();
        for (ReturnName name : claims.returning(domain)) {
            // Its mark goes when it is completed.
            returning.add(name.claim().id().text());
            if (reaper.isLate(domain, name, now)) {
                fixable(layout.returning(domain).resolve(name.fileName()), LATE_RETURN);
            }
        }
        for (Path file : files.list(layout.inbox(domain))) {
            if (InboxIndex.isMailName(file) && isLinked(file)) {
                fix(file, () -> lookAtLinked(domain, file, now));
            }
        }
        for (ClaimName claim : claims.list(domain)) {
            Path file = claims.path(domain, claim);
            fix(
                    file,
                    () -> {
                        if (copies.leftovers().isLeftover(domain, claim)) {
                            fixable(file, LEFTOVER);
                        } else if (isSettled(file, now) && claims.isFinished(domain, claim)) {
                            fixable(file, UNARCHIVED);
                        }
                    });
        }
        for (Path mark : files.list(layout.running(domain))) {
            if (!returning.contains(nameOf(mark))
                    && isSettled(mark, now)
                    && claims.marks().isStale(domain, mark)) {
                fixable(mark, STALE_MARK);
            }
        }
    }

    private void lookAtLinked(Domain domain, Path file, Instant now) throws IOException {
        if (copies.asides().leftover(domain, file, now).isPresent()) {
            fixable(file, LEFTOVER);
        }
    }

    private void fixable(Path file, String what) {
        findings.add(Finding.fixable(layout.nameOf(file), what));
    }

    private boolean isSettled(Path file, Instant now) throws IOException {
        return files.stat(file).filter(stat -> isSettled(stat, now)).isPresent();
    }

    private boolean isSettled(Stat stat, Instant now) {
        return stat.changed().plus(settledMin).isBefore(now);
    }

    /// Removes the names that a power cut brought back.
    private void removeLeftovers(Domain domain, Instant now) throws IOException {
        for (ClaimName claim : claims.list(domain)) {
            Path file = claims.path(domain, claim);
            fix(
                    file,
                    () -> {
                        if (claims.removeLeftover(domain, claim)) {
                            fixed(file, LEFTOVER);
                        }
                    });
        }
        for (Path file : files.list(layout.inbox(domain))) {
            if (InboxIndex.isMailName(file)) {
                fix(
                        file,
                        () -> {
                            if (isLinked(file)
                                    && copies.asides().clearLeftover(domain, file, now)) {
                                fixed(file, LEFTOVER);
                            }
                        });
            }
        }
    }

    private boolean isLinked(Path file) throws IOException {
        return files.stat(file).filter(stat -> stat.links() > 1).isPresent();
    }

    private void completeReturns(Domain domain, Instant now) throws IOException {
        for (ReturnName name : claims.returning(domain)) {
            if (reaper.isLate(domain, name, now)) {
                Path file = layout.returning(domain).resolve(name.fileName());
                fix(
                        file,
                        () -> {
                            reaper.completeReturn(domain, name, now);
                            fixed(file, LATE_RETURN);
                        });
            }
        }
    }

    private void completeFinishes(Domain domain, Instant now) throws IOException {
        for (ClaimName claim : claims.list(domain)) {
            Path file = claims.path(domain, claim);
            if (isSettled(file, now)) {
                fix(file, () -> completeFinish(domain, claim, file, now));
            }
        }
    }

    private void completeFinish(Domain domain, ClaimName claim, Path file, Instant now)
            throws IOException {
        if (claims.isFinished(domain, claim)) {
            reaper.completeFinish(domain, claim, now);
            fixed(file, UNARCHIVED);
        }
    }

    private void removeStaleMarks(Domain domain, Instant now) throws IOException {
        for (Path mark : files.list(layout.running(domain))) {
            if (isSettled(mark, now)) {
                fix(
                        mark,
                        () -> {
                            if (claims.marks().removeIfStale(domain, mark)) {
                                fixed(mark, STALE_MARK);
                            }
                        });
            }
        }
    }

    /// A draft that is still here was either delivered under its real name, or its sender was never
    /// told that it was sent.
    private void removeDrafts(Domain domain, Instant now) throws IOException {
        for (Path draft : files.list(layout.drafts(domain))) {
            Optional<Stat> stat = files.stat(draft);
            if (stat.isPresent() && stat.get().isFile() && isSettled(stat.get(), now)) {
                remove(draft, "a draft that its sender left behind");
            }
        }
    }

    /// Removes what a doctor or init tried the disk with before it was killed.
    private void removeProbes(Instant now) throws IOException {
        for (Path left : VolumeProbe.leftovers(files, layout)) {
            if (isSettled(left, now)) {
                fix(
                        left,
                        () -> {
                            VolumeProbe.remove(files, left);
                            fixed(left, "left by an init or doctor that was killed");
                        });
            }
        }
    }

    /// Removes the lock files of processes that have ended and hold no claim: while they hold one,
    /// their file is what shows that it is over.
    private void removeAttendants() throws IOException {
        List<Path> ended = new ArrayList<>();
        for (Path file : files.list(layout.attendants())) {
            fix(
                    file,
                    () -> {
                        if (attendance.hasEnded(nameOf(file))) {
                            ended.add(file);
                        }
                    });
        }
        // Only now: a process that had ended by then claims nothing more.
        Set<String> holding = new HashSet<>();
        for (Domain domain : addresses.domains()) {
            for (ClaimName claim : claims.list(domain)) {
                claim.attendant().ifPresent(holding::add);
            }
        }
        for (Path file : ended) {
            if (!holding.contains(nameOf(file))) {
                fix(
                        file,
                        () -> {
                            attendance.remove(nameOf(file));
                            fixed(file, "the lock file of a worker that has ended");
                        });
            }
        }
    }

    private static String nameOf(Path file) {
        return String.valueOf(file.getFileName());
    }

    private void remove(Path file, String what) throws IOException {
        fix(
                file,
                () -> {
                    files.remove(file);
                    fixed(file, what);
                });
    }

    private interface Step {
        void run() throws IOException;
    }

    /// Takes a step that concerns one file, which must not keep recovery from the others.
    private void fix(Path file, Step step) throws IOException {
        try {
            step.run();
        } catch (NoSuchFileException e) {
            // Its owner was only slow.
        } catch (WithheldException e) {
            throw e;
        } catch (IOException e) {
            findings.add(Finding.stuck(layout.nameOf(file), Trouble.reason(e)));
        }
    }

    private void fixed(Path file, String what) {
        findings.add(Finding.fixed(layout.nameOf(file), what));
    }
}
