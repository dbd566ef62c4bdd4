package dev.pheromone.file;

import dev.pheromone.Capability;
import dev.pheromone.Inbox;
import dev.pheromone.Lag;
import dev.pheromone.Receipt;
import dev.pheromone.State;
import dev.pheromone.Transport;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.address.Reach;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;

import java.io.IOException;
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
        return hive.hive().inboxes.forHolders(hive.inbox(domain));
    }

    /// Does nothing: the hive has an owner.
    @Override
    public void close() {}
}
