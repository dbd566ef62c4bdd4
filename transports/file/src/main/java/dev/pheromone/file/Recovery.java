package dev.pheromone.file;

import dev.pheromone.Domain;
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

    private final FileHive hive;
    private final RseLog log;
    private final List<Finding> findings = new ArrayList<>();

    Recovery(FileHive hive, RseLog log) {
        this.hive = hive;
        this.log = log;
    }

    /// Recovers, and says what was found and mended. Does nothing if another process is at it.
    List<Finding> run(Extent extent) throws IOException {
        hive.files().createFolder(hive.layout().attendants());
        Optional<Closeable> lock = hive.files().tryLock(hive.layout().recoveryLock());
        if (lock.isEmpty()) {
            return List.of();
        }
        try (Closeable _ = lock.get()) {
            Instant now = hive.now();
            for (Domain domain : hive.addresses().domains()) {
                completeReturns(domain, now);
                completeFinishes(domain, now);
                hive.reaper().reap(domain, now);
                removeStaleMarks(domain, now);
                removeDrafts(domain, now);
            }
            removeAttendants();
            findings.addAll(new MissingEvents(hive, log).add(extent, now));
        }
        // A file may be in the way of more than one step.
        return findings.stream().distinct().toList();
    }

    private boolean isSettled(Stat stat, Instant now) {
        return stat.changed().plus(hive.limits().settledMin()).isBefore(now);
    }

    private void completeReturns(Domain domain, Instant now) throws IOException {
        for (ReturnName name : hive.claims().returning(domain)) {
            if (hive.reaper().isLate(domain, name, now)) {
                Path file = hive.layout().returning(domain).resolve(name.fileName());
                mend(
                        file,
                        () -> {
                            hive.reaper().completeReturn(domain, name, now);
                            mended(file, "a return that was never completed");
                        });
            }
        }
    }

    private void completeFinishes(Domain domain, Instant now) throws IOException {
        for (ClaimName claim : hive.claims().list(domain)) {
            Path file = hive.claims().path(domain, claim);
            Optional<Stat> stat = hive.files().stat(file);
            if (stat.isPresent() && isSettled(stat.get(), now)) {
                mend(file, () -> completeFinish(domain, claim, file, now));
            }
        }
    }

    private void completeFinish(Domain domain, ClaimName claim, Path file, Instant now)
            throws IOException {
        if (hive.claims().isFinished(domain, claim)) {
            hive.reaper().completeFinish(domain, claim, now);
            mended(file, "finished, but not archived");
        }
    }

    private void removeStaleMarks(Domain domain, Instant now) throws IOException {
        for (Path mark : hive.files().list(hive.layout().running(domain))) {
            Optional<Stat> stat = hive.files().stat(mark);
            if (stat.isPresent() && isSettled(stat.get(), now)) {
                mend(
                        mark,
                        () -> {
                            if (hive.claims().marks().removeIfStale(domain, mark)) {
                                mended(mark, "a mark of work that nobody does");
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

    /// Removes the lock files of processes that have ended and hold no claim: while they hold one,
    /// their file is what shows that it is over.
    private void removeAttendants() throws IOException {
        List<Path> ended = new ArrayList<>();
        for (Path file : hive.files().list(hive.layout().attendants())) {
            mend(
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
                mend(
                        file,
                        () -> {
                            hive.attendance().remove(nameOf(file));
                            mended(file, "the lock file of a worker that has ended");
                        });
            }
        }
    }

    private static String nameOf(Path file) {
        return String.valueOf(file.getFileName());
    }

    private void remove(Path file, String what) throws IOException {
        mend(
                file,
                () -> {
                    hive.files().remove(file);
                    mended(file, what);
                });
    }

    private interface Step {
        void run() throws IOException;
    }

    /// Takes a step that concerns one file, which must not keep recovery from the others.
    private void mend(Path file, Step step) throws IOException {
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

    private void mended(Path file, String what) {
        findings.add(Finding.mended(hive.layout().nameOf(file), what));
    }
}
