package dev.pheromone.cli.serve;

import dev.pheromone.Capability;
import dev.pheromone.Inbox;
import dev.pheromone.Lag;
import dev.pheromone.Receipt;
import dev.pheromone.State;
import dev.pheromone.Transport;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.address.Reach;
import dev.pheromone.cli.frame.Via;
import dev.pheromone.cli.frame.ViaInbox;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// A transport of `hive.yaml` as the end of a bridge: under this hive's locks, and with a record in
/// its log. What can't be sent now stays where it is instead of going to the outbox.
final class BridgeEnd implements Transport {

    private final Via via;
    private final Map<Domain, ViaInbox> inboxes = new ConcurrentHashMap<>();

    BridgeEnd(Via via) {
        this.via = via;
    }

    @Override
    public Reach reach() {
        return via.reach();
    }

    @Override
    public Set<Capability> capabilities() {
        try {
            return via.opened().capabilities();
        } catch (IOException e) {
            return Set.of();
        }
    }

    @Override
    public Lag lag() {
        try {
            return via.opened() instanceof Transport transport ? transport.lag() : Lag.NONE;
        } catch (IOException e) {
            return Lag.NONE;
        }
    }

    @Override
    public Receipt send(Envelope envelope) throws IOException, NoSuchInboxException {
        Receipt receipt = via.carrier().send(envelope);
        via.journal().sent(envelope, receipt);
        return receipt;
    }

    @Override
    public Receipt send(Envelope envelope, Domain inbox) throws IOException, NoSuchInboxException {
        Receipt receipt = via.carrier().send(envelope, inbox);
        via.journal().sent(envelope, receipt);
        return receipt;
    }

    @Override
    public void createInbox(Domain inbox) throws IOException {
        via.transport().createInbox(inbox);
    }

    @Override
    public List<Domain> domains() throws IOException {
        return via.domains();
    }

    @Override
    public Optional<Found> find(EnvelopeId id) throws IOException {
        return via.transport().find(id);
    }

    @Override
    public Optional<State> stateOf(EnvelopeId id, Domain inbox) throws IOException {
        return via.isCarrier() ? Optional.empty() : via.transport().stateOf(id, inbox);
    }

    @Override
    public Inbox inbox(Domain domain) throws IOException, NoSuchInboxException {
        ViaInbox known = inboxes.get(domain);
        if (known == null) {
            known = via.inbox(domain);
            inboxes.put(domain, known);
        }
        return known;
    }

    @Override
    public void close() throws IOException {
        via.close();
    }
}
