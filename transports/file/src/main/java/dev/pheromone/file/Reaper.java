package dev.pheromone.file;

import dev.pheromone.Domain;
import dev.pheromone.State;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.rse.RseEvent.RsmEnvelopeReturn.Reason;
import dev.pheromone.rse.RseEvent.WorkerAck.Status;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.Optional;

/// Takes envelopes back from holders that died or fell silent. Any command does so with what it
/// meets.
final class Reaper {

    private final Disk files;
    private final ClaimedFiles claims;
    private final Attendance attendance;
    private final Journal journal;

    Reaper(Disk files, ClaimedFiles claims, Attendance attendance, Journal journal) {
        this.files = files;
        this.claims = claims;
        this.attendance = attendance;
        this.journal = journal;
    }

    void reap(Domain domain, Instant now) throws IOException {
        for (ClaimName claim : claims.list(domain)) {
            try {
                if (isOver(domain, claim, now)) {
                    takeBack(domain, claim, now);
                }
            } catch (WithheldException e) {
                throw e;
            } catch (IOException e) {
                // One that can't be taken back must not keep the others.
                journal.trouble("claim " + claim.token(), e);
            }
        }
    }

    private void takeBack(Domain domain, ClaimName claim, Instant now) throws IOException {
        try {
            if (claims.isFinished(domain, claim)) {
                completeFinish(domain, claim, now);
            } else {
                ClaimedFiles.Return result = claims.giveBack(domain, claim, Reason.LEASE, "", now);
                journal.returned(domain, claim, result, now);
            }
        } catch (NoSuchFileException e) {
            // Its holder, or another reaper, was faster.
        }
    }

    /// The rest of an ending whose holder died after it was committed.
    void completeFinish(Domain domain, ClaimName claim, Instant now) throws IOException {
        ClaimedFiles.Finish finish = claims.completeFinish(domain, claim, now);
        if (finish.state() == State.DONE) {
            journal.acknowledged(domain, claim, finish.header(), Status.DONE, finish.note(), now);
        } else {
            journal.ended(
                    domain, claim.id().text(), finish.header(), finish.state(), finish.note(), now);
        }
    }

    boolean isOver(Domain domain, ClaimName claim, Instant now) throws IOException {
        Optional<Stat> stat = files.stat(claims.path(domain, claim));
        if (stat.isEmpty()) {
            return false;
        }
        if (!now.isBefore(claim.leaseEndsAt(stat.get().modified(), now))) {
            return true;
        }
        Optional<String> attendant = claim.attendant();
        return attendant.isPresent() && attendance.hasEnded(attendant.get());
    }
}
