package dev.pheromone.file.inbox;

import dev.pheromone.Inbox;
import dev.pheromone.InboxOverview;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.Settlement;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.selection.Waiting;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/// An inbox of a hive that was opened for others: how work ended is told in the name of whoever
/// holds the claim.
record HoldersInbox(Inbox inbox, Settling settling) implements Inbox {

    @Override
    public Domain domain() {
        return inbox.domain();
    }

    @Override
    public List<Waiting> waiting() throws IOException {
        return inbox.waiting();
    }

    @Override
    public InboxOverview overview() throws IOException {
        return inbox.overview();
    }

    @Override
    public int depth() throws IOException {
        return inbox.depth();
    }

    @Override
    public Selection select(Actor worker, Lease lease) throws IOException {
        return inbox.select(worker, lease);
    }

    @Override
    public void await(Duration timeout) throws IOException, InterruptedException {
        inbox.await(timeout);
    }

    @Override
    public Settlement renew(String claim) throws IOException {
        return inbox.renew(claim);
    }

    @Override
    public Settlement accept(String claim, String note) throws IOException {
        return settling.accept(inbox.domain(), claim, note);
    }

    @Override
    public Settlement settle(String claim, Outcome outcome) throws IOException {
        return settling.settle(inbox.domain(), claim, outcome);
    }
}
