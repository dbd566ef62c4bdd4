package dev.pheromone.file.inbox;

import dev.pheromone.address.Domain;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.disk.Stat;
import dev.pheromone.file.copy.Attendance;
import dev.pheromone.file.copy.ClaimName;
import dev.pheromone.file.copy.ClaimedFiles;
import dev.pheromone.file.copy.FileLimits;
import dev.pheromone.file.copy.Journal;
import dev.pheromone.file.copy.ReturnName;
import dev.pheromone.file.embargo.KeptOutcomes;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.lock.LockEntry;
import dev.pheromone.lock.LockLists;
import dev.pheromone.lock.OutsideGuard;
import dev.pheromone.rse.RseEvent.RsmEnvelopeReturn.Reason;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Takes envelopes back from holders that died or fell silent. Any command does so with what it
/// meets.
public final class Reaper {

    private final Disk files;
    private final HiveLayout layout;
    private final ClaimedFiles claims;
    private final Attendance attendance;
    private final Journal journal;
    private final FileLimits limits;
    private final InstantSource clock;
    private final KeptOutcomes outcomes;

    public Reaper(
            Disk files,
            HiveLayout layout,
            ClaimedFiles claims,
            Attendance attendance,
            Journal journal,
            FileLimits limits,
            InstantSource clock) {
        this.files = files;
        this.layout = layout;
        this.claims = claims;
        this.attendance = attendance;
        this.journal = journal;
        this.limits = limits;
        this.clock = clock;
        this.outcomes = new KeptOutcomes(files, layout);
    }

    /// Whether a claim is over, or on its way back.
    boolean isNeeded(Domain domain) throws IOException {
        for (ClaimName claim : claims.list(domain)) {
            try {
                if (isOver(domain, claim)) {
                    return true;
                }
            } catch (WithheldException e) {
                throw e;
            } catch (IOException e) {
                // Told by who takes it back.
                return true;
            }
        }
        return !claims.returning(domain).isEmpty();
    }

    public void reap(Domain domain, Instant now) throws IOException {
        for (ClaimName claim : claims.list(domain)) {
            try (Disk.Operation _ = files.begin()) {
                if (isOver(domain, claim)) {
                    takeBack(domain, claim, now);
                }
            } catch (WithheldException e) {
                throw e;
            } catch (IOException e) {
                // One that can't be taken back must not keep the others.
                journal.trouble("claim " + claim.token(), e);
            }
        }
        completeReturns(domain, now);
    }

    /// Finishes the returns whose process died in between. Under recovery's lock: of two that do it
    /// at once, one might put back what the other's reader has taken already.
    private void completeReturns(Domain domain, Instant now) throws IOException {
        List<ReturnName> late = new ArrayList<>();
        for (ReturnName name : claims.returning(domain)) {
            if (isLate(domain, name, now)) {
                late.add(name);
            }
        }
        if (late.isEmpty()) {
            return;
        }
        try (@Nullable Closeable lock = files.tryLock(layout.recoveryLock()).orElse(null)) {
            if (lock != null) {
                for (ReturnName name : late) {
                    completeReturn(domain, name, now);
                }
            }
        } catch (NoSuchFileException e) {
            // Its owner was only slow.
        } catch (WithheldException e) {
            throw e;
        } catch (IOException e) {
            journal.trouble("claims on their way back to " + domain, e);
        }
    }

    /// Whether a claim has been on its way back for so long that its process must have died.
    public boolean isLate(Domain domain, ReturnName name, Instant now) throws IOException {
        Optional<Stat> stat = files.stat(layout.returning(domain).resolve(name.fileName()));
        return stat.isPresent() && stat.get().changed().plus(limits.settledMin()).isBefore(now);
    }

    /// The rest of a return; the caller holds recovery's lock.
    public void completeReturn(Domain domain, ReturnName name, Instant now) throws IOException {
        Optional<ClaimedFiles.Result> result = claims.resumeReturn(domain, name, now);
        if (result.isPresent()) {
            journal.took(domain, name.claim(), result.get(), now);
        }
    }

    private void takeBack(Domain domain, ClaimName claim, Instant now) throws IOException {
        try {
            if (claims.isFinished(domain, claim)) {
                completeFinish(domain, claim, now);
            } else if (!claims.wouldEndInDoubt(claim, now)) {
                ClaimedFiles.Result result = claims.giveBack(domain, claim, Reason.LEASE, "", now);
                journal.took(domain, claim, result, now);
            }
        } catch (NoSuchFileException e) {
            // Its holder, or another reaper, was faster.
        }
    }

    /// The rest of an ending whose holder died after it was committed.
    public void completeFinish(Domain domain, ClaimName claim, Instant now) throws IOException {
        journal.took(domain, claim, claims.completeFinish(domain, claim, now), now);
    }

    /// A time after which no lock was lifted: the last one at which a name came or went where locks
    /// lie, a list was changed, an entry ended, or the outside guard said no. That is rare, and
    /// costs at most one lease.
    private Instant lockLiftedBefore() throws IOException {
        Instant latest = Instant.MIN;
        for (Path folder : LockLists.folders(layout)) {
            latest = later(latest, files.stat(folder).map(Stat::modified));
        }
        latest = later(latest, files.stat(OutsideGuard.lastRefusal(layout)).map(Stat::modified));
        LockLists lists = LockLists.read(files, layout, layout.hive());
        for (LockLists.Watched each : lists.watched()) {
            latest = later(latest, Optional.of(each.stat().modified()));
            // A list that nobody may read locks everything, until its permissions change.
            latest = later(latest, Optional.of(each.stat().changed()));
        }
        Instant now = clock.instant();
        for (LockEntry entry : lists.entries()) {
            latest =
                    later(
                            latest,
                            Optional.ofNullable(entry.expires()).filter(end -> !end.isAfter(now)));
        }
        return latest;
    }

    private static Instant later(Instant one, Optional<Instant> other) {
        return other.filter(one::isBefore).orElse(one);
    }

    /// What its holder said under a lock, and only waits to be applied, counts as said in time.
    private boolean isOver(Domain domain, ClaimName claim) throws IOException {
        return hasEnded(domain, claim) && !outcomes.isKept(claim.token());
    }

    private boolean hasEnded(Domain domain, ClaimName claim) throws IOException {
        Optional<Stat> stat = files.stat(claims.path(domain, claim));
        if (stat.isEmpty()) {
            return false;
        }
        Instant renewed = stat.get().modified();
        if (isOver(claim, stat.get(), renewed)) {
            // Nobody can renew a lease under a lock: with its lifting each begins anew.
            Instant lifted = lockLiftedBefore();
            return isOver(claim, stat.get(), lifted.isAfter(renewed) ? lifted : renewed);
        }
        Optional<String> attendant = claim.attendant();
        return attendant.isPresent() && attendance.hasEnded(attendant.get());
    }

    /// By a clock that is read only now: a sign of life that was found must not be ahead of it.
    private boolean isOver(ClaimName claim, Stat file, Instant lastSign) {
        Instant now = clock.instant();
        return !now.isBefore(claim.leaseEndsAt(file, lastSign, now));
    }
}
