package dev.pheromone.file;

import dev.pheromone.Outcome;
import dev.pheromone.Receipt;
import dev.pheromone.address.Actor;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.disk.Disk;
import dev.pheromone.disk.HiveLayout;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.file.copy.ClaimName;
import dev.pheromone.file.embargo.KeptMail;
import dev.pheromone.file.embargo.KeptOutcomes;
import dev.pheromone.file.log.GuardReports;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseEvent.PolicyGuard.Mode;

import java.io.IOException;
import java.time.InstantSource;
import java.util.List;

/// What a lock keeps back in the embargo: mail that waits for a person, and outcomes and events
/// that come home by themselves once they may.
public final class EmbargoRecords {

    private final Posting posting;
    private final Disk files;
    private final HiveLayout layout;
    private final Actor self;
    private final GuardReports reports;
    private final InstantSource clock;
    private final HiveParts.Source hive;
    private final Arrivals arrivals;

    EmbargoRecords(
            Posting posting,
            Disk files,
            HiveLayout layout,
            Actor self,
            GuardReports reports,
            InstantSource clock,
            HiveParts.Source hive,
            Arrivals arrivals) {
        this.posting = posting;
        this.files = files;
        this.layout = layout;
        this.self = self;
        this.reports = reports;
        this.clock = clock;
        this.hive = hive;
        this.arrivals = arrivals;
    }

    /// What waits in the embargo for a person to release it, oldest first.
    public List<KeptMail> mail() throws IOException {
        return posting.embargo().waiting();
    }

    /// Sends what waited in the embargo, by the way of all mail. What arrived, now or before, is
    /// moved to the embargo's archive; anything else stays.
    public Receipt release(KeptMail mail) throws IOException, NoSuchInboxException {
        Receipt receipt = posting.release(mail);
        Envelope envelope = mail.envelope();
        if (envelope != null) {
            arrivals.delivered(envelope, receipt);
        }
        return receipt;
    }

    /// Keeps how work on `claim` ended, while a lock forbids to settle it; returns where it waits.
    public String keepOutcome(String claim, Outcome outcome, WithheldException e)
            throws IOException {
        if (ClaimName.parse(claim).isEmpty()) {
            throw new IllegalArgumentException(
                    "claim: found \"" + claim + "\", expected one as select gave it");
        }
        String kept =
                new KeptOutcomes(files, layout).keep(null, claim, outcome, self, clock.instant());
        reports.withheld(e, Mode.ADVISORY, clock.instant());
        return kept;
    }

    /// Keeps what whoever holds `claim` answers, while a lock forbids to find out whom; returns
    /// where it lies. Nobody sends it but a person or agent who reads that.
    public String keepReply(String claim, byte[] body) throws IOException {
        return new KeptOutcomes(files, layout).keepReply(claim, body);
    }

    /// Applies what was kept in the embargo and needs nobody's leave: outcomes, and events.
    public void bringHome() throws IOException {
        hive.open().homecoming.run();
    }

    /// What was told while a lock kept it out of the log, in the order in which it was told. It is
    /// younger than all that is there, and comes home as soon as it may.
    public List<RseEvent> events() throws IOException {
        return reports.kept();
    }
}
