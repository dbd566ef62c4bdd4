package dev.pheromone.file;

import dev.pheromone.address.Domain;
import dev.pheromone.disk.Stat;
import dev.pheromone.disk.Trouble;
import dev.pheromone.file.copy.ClaimName;
import dev.pheromone.file.copy.ClockDoubt;
import dev.pheromone.file.copy.InboxIndex;
import dev.pheromone.file.copy.ReturnName;
import dev.pheromone.file.setup.Finding;
import dev.pheromone.file.setup.VolumeProbe;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.rse.RseLog;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
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

    private static final String LATE_RETURN = "a return that was never completed";
    private static final String UNARCHIVED = "finished, but not archived";
    private static final String LEFTOVER = "another name of a copy that has gone on";
    private static final String STALE_MARK = "a mark of work that nobody does";

    private final FileHive hive;
    private final RseLog log;
    private final List<Finding> findings = new ArrayList<>();

    Recovery(FileHive hive, RseLog log) {
        this.hive = hive;
        this.log = log;
    }

    /// Recovers, and says what was found and fixed. Does nothing if another process is at it.
    List<Finding> run(Extent extent) throws IOException {
        hive.files().createFolder(hive.layout().attendants());
        Optional<Closeable> lock = hive.files().tryLock(hive.layout().recoveryLock());
        if (lock.isEmpty()) {
            return List.of();
        }
        try (Closeable _ = lock.get()) {
            Instant now = hive.now();
            tellDoubt(now);
            new Homecoming(hive).run();
            for (Domain domain : hive.addresses().domains()) {
                removeLeftovers(domain, now);
                completeReturns(domain, now);
                completeFinishes(domain, now);
                hive.reaper().reap(domain, now);
                removeStaleMarks(domain, now);
                removeDrafts(domain, now);
                hive.admission().pressure(domain).finish(now);
            }
            removeAttendants();
            removeProbes(now);
            findings.addAll(new MissingEvents(hive, log).add(extent, now));
        }
        // A file may be in the way of more than one step.
        return findings.stream().distinct().toList();
    }

    /// What [#run] would fix, without doing it. Drafts and lock files that were left behind are not
    /// among it: they keep nothing from its end.
    List<Finding> look(Extent extent) throws IOException {
        Instant now = hive.now();
        tellDoubt(now);
        for (Domain domain : hive.addresses().domains()) {
            fix(hive.layout().active(domain), () -> look(domain, now));
        }
        fix(
                hive.layout().log(),
                () -> findings.addAll(new MissingEvents(hive, log).look(extent, now)));
        return findings.stream().distinct().toList();
    }

    private void tellDoubt(Instant now) throws IOException {
        Optional<ClockDoubt.Doubt> doubt = hive.clockDoubt().look(now);
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
        for (ReturnName name : hive.claims().returning(domain)) {
            // Its mark goes when it is completed.
            returning.add(name.claim().id().text());
            if (hive.reaper().isLate(domain, name, now)) {
                fixable(hive.layout().returning(domain).resolve(name.fileName()), LATE_RETURN);
            }
        }
        for (Path file : hive.files().list(hive.layout().inbox(domain))) {
            if (InboxIndex.isMailName(file) && isLinked(file)) {
                fix(file, () -> lookAtLinked(domain, file, now));
            }
        }
        for (ClaimName claim : hive.claims().list(domain)) {
            Path file = hive.claims().path(domain, claim);
            fix(
                    file,
                    () -> {
                        if (hive.leftovers().isLeftover(domain, claim)) {
                            fixable(file, LEFTOVER);
                        } else if (isSettled(file, now)
                                && hive.claims().isFinished(domain, claim)) {
                            fixable(file, UNARCHIVED);
                        }
                    });
        }
        for (Path mark : hive.files().list(hive.layout().running(domain))) {
            if (!returning.contains(nameOf(mark))
                    && isSettled(mark, now)
                    && hive.claims().marks().isStale(domain, mark)) {
                fixable(mark, STALE_MARK);
            }
        }
    }

    private void lookAtLinked(Domain domain, Path file, Instant now) throws IOException {
        if (new Aside(hive, domain).leftover(file, now).isPresent()) {
            fixable(file, LEFTOVER);
        }
    }

    private void fixable(Path file, String what) {
        findings.add(Finding.fixable(hive.layout().nameOf(file), what));
    }

    private boolean isSettled(Path file, Instant now) throws IOException {
        return hive.files().stat(file).filter(stat -> isSettled(stat, now)).isPresent();
    }

    private boolean isSettled(Stat stat, Instant now) {
        return stat.changed().plus(hive.limits().settledMin()).isBefore(now);
    }

    /// Removes the names that a power cut brought back.
    private void removeLeftovers(Domain domain, Instant now) throws IOException {
        for (ClaimName claim : hive.claims().list(domain)) {
            Path file = hive.claims().path(domain, claim);
            fix(
                    file,
                    () -> {
                        if (hive.claims().removeLeftover(domain, claim)) {
                            fixed(file, LEFTOVER);
                        }
                    });
        }
        Aside asides = new Aside(hive, domain);
        for (Path file : hive.files().list(hive.layout().inbox(domain))) {
            if (InboxIndex.isMailName(file)) {
                fix(
                        file,
                        () -> {
                            if (isLinked(file) && asides.clearLeftover(file, now)) {
                                fixed(file, LEFTOVER);
                            }
                        });
            }
        }
    }

    private boolean isLinked(Path file) throws IOException {
        return hive.files().stat(file).filter(stat -> stat.links() > 1).isPresent();
    }

    private void completeReturns(Domain domain, Instant now) throws IOException {
        for (ReturnName name : hive.claims().returning(domain)) {
            if (hive.reaper().isLate(domain, name, now)) {
                Path file = hive.layout().returning(domain).resolve(name.fileName());
                fix(
                        file,
                        () -> {
                            hive.reaper().completeReturn(domain, name, now);
                            fixed(file, LATE_RETURN);
                        });
            }
        }
    }

    private void completeFinishes(Domain domain, Instant now) throws IOException {
        for (ClaimName claim : hive.claims().list(domain)) {
            Path file = hive.claims().path(domain, claim);
            if (isSettled(file, now)) {
                fix(file, () -> completeFinish(domain, claim, file, now));
            }
        }
    }

    private void completeFinish(Domain domain, ClaimName claim, Path file, Instant now)
            throws IOException {
        if (hive.claims().isFinished(domain, claim)) {
            hive.reaper().completeFinish(domain, claim, now);
            fixed(file, UNARCHIVED);
        }
    }

    private void removeStaleMarks(Domain domain, Instant now) throws IOException {
        for (Path mark : hive.files().list(hive.layout().running(domain))) {
            if (isSettled(mark, now)) {
                fix(
                        mark,
                        () -> {
                            if (hive.claims().marks().removeIfStale(domain, mark)) {
                                fixed(mark, STALE_MARK);
                            }
                        });
            }
        }
    }

    /// A draft that is still here was either delivered under its real name, or its sender was never
    /// told that it was sent.
    private void removeDrafts(Domain domain, Instant now) throws IOException {
        for (Path draft : hive.files().list(hive.layout().drafts(domain))) {
            Optional<Stat> stat = hive.files().stat(draft);
            if (stat.isPresent() && stat.get().isFile() && isSettled(stat.get(), now)) {
                remove(draft, "a draft that its sender left behind");
            }
        }
    }

    /// Removes what a doctor or init tried the disk with before it was killed.
    private void removeProbes(Instant now) throws IOException {
        for (Path left : VolumeProbe.leftovers(hive.files(), hive.layout())) {
            if (isSettled(left, now)) {
                fix(
                        left,
                        () -> {
                            VolumeProbe.remove(hive.files(), left);
                            fixed(left, "left by an init or doctor that was killed");
                        });
            }
        }
    }

    /// Removes the lock files of processes that have ended and hold no claim: while they hold one,
    /// their file is what shows that it is over.
    private void removeAttendants() throws IOException {
        List<Path> ended = new ArrayList<>();
        for (Path file : hive.files().list(hive.layout().attendants())) {
            fix(
                    file,
                    () -> {
                        if (hive.attendance().hasEnded(nameOf(file))) {
                            ended.add(file);
                        }
                    });
        }
        // Only now: a process that had ended by then claims nothing more.
        Set<String> holding = new HashSet<>();
        for (Domain domain : hive.addresses().domains()) {
            for (ClaimName claim : hive.claims().list(domain)) {
                claim.attendant().ifPresent(holding::add);
            }
        }
        for (Path file : ended) {
            if (!holding.contains(nameOf(file))) {
                fix(
                        file,
                        () -> {
                            hive.attendance().remove(nameOf(file));
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
                    hive.files().remove(file);
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
            findings.add(Finding.stuck(hive.layout().nameOf(file), Trouble.reason(e)));
        }
    }

    private void fixed(Path file, String what) {
        findings.add(Finding.fixed(hive.layout().nameOf(file), what));
    }
}
