package dev.pheromone.file.embargo;

import dev.pheromone.Receipt;
import dev.pheromone.SendResult;
import dev.pheromone.address.Address;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.file.log.GuardReports;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.rse.RseEvent.PolicyGuard.Mode;

import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/// What becomes of mail that a lock forbids to send: it is kept in the embargo, and that is told.
public final class Advisory {

    private final EmbargoInboxes embargo;
    private final GuardReports reports;
    private final InstantSource clock;

    public Advisory(EmbargoInboxes embargo, GuardReports reports, InstantSource clock) {
        this.embargo = embargo;
        this.reports = reports;
        this.clock = clock;
    }

    /// Under a lock not even the names of inboxes are known: each address stands for its usual one.
    public Receipt keep(Envelope envelope, Onward onward, WithheldException e) {
        SendResult result;
        try {
            result = embargo.keep(envelope, onward, e.verdict());
        } catch (IOException failed) {
            result = new SendResult.Failed(failed);
        }
        boolean kept =
                result instanceof SendResult.Withheld withheld && !withheld.embargo().isEmpty();
        reports.withheld(
                onward.transport() == null ? embargo.wanted(envelope, onward, e) : e,
                kept ? Mode.ADVISORY : Mode.BLOCKED,
                clock.instant());
        List<Receipt.Copy> copies = new ArrayList<>();
        for (Address address : onward.targets(envelope)) {
            copies.add(new Receipt.Copy(address, address.domain(), result));
        }
        return new Receipt(envelope.id(), envelope.hash(), copies);
    }
}
