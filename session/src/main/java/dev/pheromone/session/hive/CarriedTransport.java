package dev.pheromone.session.hive;

import dev.pheromone.Receipt;
import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.address.Reach;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.file.embargo.MissingInbox;
import dev.pheromone.session.caller.Caller;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// The hive's own inboxes, for mail that is sent over a broker: the broker keeps nothing, and
/// answers come here.
final class CarriedTransport extends OwnTransport {

    private final OtherTransport broker;

    CarriedTransport(Caller caller, OpenHive hive, OtherTransport broker) {
        super(caller, hive);
        this.broker = broker;
    }

    @Override
    public Optional<String> name() {
        return broker.name();
    }

    @Override
    public Reach reach() {
        return broker.reach();
    }

    @Override
    public Receipt send(Envelope envelope, MissingInbox missing)
            throws IOException, NoSuchInboxException {
        return broker.send(envelope, missing);
    }

    @Override
    public Receipt send(Envelope envelope, Domain inbox) throws IOException, NoSuchInboxException {
        return broker.send(envelope, inbox);
    }

    @Override
    public List<Domain> reachable() throws IOException {
        return broker.domains();
    }

    @Override
    public void requireEnds() {
        // A receiver tells how mail ended.
    }

    @Override
    public Optional<State> awaitEnd(Envelope envelope, Domain inbox, Duration patience)
            throws IOException {
        return broker.awaitEnd(envelope, inbox, patience);
    }

    /// The hive that received the copy knows who took it, and does not tell.
    @Override
    public boolean mayHaveTaken(Actor actor, EnvelopeId id, Domain inbox) {
        return true;
    }

    @Override
    public void close() throws IOException {
        broker.close();
    }
}
