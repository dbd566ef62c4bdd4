package dev.pheromone.file;

import dev.pheromone.Capability;
import dev.pheromone.Inbox;
import dev.pheromone.Lag;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Receipt;
import dev.pheromone.Selection;
import dev.pheromone.Settlement;
import dev.pheromone.State;
import dev.pheromone.Transport;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.address.Reach;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.selection.Waiting;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// A hive that was opened for others, as a server does: how work ended is told in the name of
/// whoever holds the claim, and not of who opened the hive.
public final class OnBehalf implements Transport {

    private final FileTransport hive;

    /// The same hive as `hive`, which is closed by its owner.
    public OnBehalf(FileTransport hive) {
        this.hive = hive;
    }

    @Override
    public Reach reach() {
        return hive.reach();
    }

    @Override
    public Set<Capability> capabilities() {
        return hive.capabilities();
    }

    @Override
    public Lag lag() {
        return hive.lag();
    }

    @Override
    public Receipt send(Envelope envelope) throws IOException, NoSuchInboxException {
        return hive.send(envelope);
    }

    @Override
    public Receipt send(Envelope envelope, Domain inbox) throws IOException, NoSuchInboxException {
        return hive.send(envelope, inbox);
    }

    @Override
    public void createInbox(Domain inbox) throws IOException {
        hive.createInbox(inbox);
    }

    @Override
    public List<Domain> domains() throws IOException {
        return hive.domains();
    }

    @Override
    public Optional<Found> find(EnvelopeId id) throws IOException {
        return hive.find(id);
    }

    @Override
    public Optional<State> stateOf(EnvelopeId id, Domain inbox) throws IOException {
        return hive.stateOf(id, inbox);
    }

    @Override
    public Inbox inbox(Domain domain) throws IOException, NoSuchInboxException {
        return new HoldersInbox(
                hive.inbox(domain), new Settling(hive.hive(), domain, Settling.Settler.HOLDER));
    }

    /// Does nothing: the hive has an owner.
    @Override
    public void close() {}

    private record HoldersInbox(Inbox inbox, Settling settling) implements Inbox {

        @Override
        public Domain domain() {
            return inbox.domain();
        }

        @Override
        public List<Waiting> waiting() throws IOException {
            return inbox.waiting();
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
            return settling.accept(claim, note);
        }

        @Override
        public Settlement settle(String claim, Outcome outcome) throws IOException {
            return settling.settle(claim, outcome);
        }
    }
}
