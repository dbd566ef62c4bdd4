package dev.pheromone.hive;

import dev.pheromone.AwayException;
import dev.pheromone.Capability;
import dev.pheromone.Inbox;
import dev.pheromone.Receipt;
import dev.pheromone.SendResult;
import dev.pheromone.State;
import dev.pheromone.Transport;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.address.Reach;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.testkit.FakeClock;
import dev.pheromone.testkit.MemoryTransport;
import dev.pheromone.testkit.TransportContract;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// One side of a bridge, with one inbox: it fails or answers as a test says.
final class Shore implements Transport {

    static final Domain OPS = Domain.parse("ops");

    /// What is there, past the bridge and its troubles.
    final MemoryTransport mail;

    Reach reach = Reach.TEAM;
    Set<Capability> capabilities = EnumSet.allOf(Capability.class);

    /// What whoever sends gets instead of an answer.
    @Nullable IOException failure;

    /// Whether it takes what is sent before it fails.
    boolean isTakenAllTheSame;

    /// What whoever sends is told, without anything being sent.
    @Nullable SendResult answer;

    /// Whether nobody can look into it.
    boolean isHidden;

    private final Map<EnvelopeId, Found> shown = new HashMap<>();

    Shore(FakeClock clock) {
        mail = new MemoryTransport(clock, TransportContract.TRUST, TransportContract.CHECK, OPS);
    }

    /// Whoever looks for `envelope` finds it in `state`.
    void shows(Envelope envelope, State state) {
        shown.put(envelope.id(), new Found(envelope, OPS, state));
    }

    @Override
    public Reach reach() {
        return reach;
    }

    @Override
    public Set<Capability> capabilities() {
        return capabilities;
    }

    @Override
    public Receipt send(Envelope envelope) throws IOException, NoSuchInboxException {
        if (failure != null) {
            if (isTakenAllTheSame) {
                Receipt _ = mail.send(envelope);
            }
            throw failure;
        }
        return answer == null
                ? mail.send(envelope)
                : new Receipt(
                        envelope.id(),
                        envelope.hash(),
                        List.of(new Receipt.Copy(OPS.address(), OPS, answer)));
    }

    @Override
    public Receipt send(Envelope envelope, Domain inbox) throws IOException, NoSuchInboxException {
        return send(envelope);
    }

    @Override
    public Optional<Found> find(EnvelopeId id) throws IOException {
        if (isHidden) {
            throw new AwayException("nobody answers");
        }
        return Optional.ofNullable(shown.get(id));
    }

    @Override
    public List<Domain> domains() {
        return mail.domains();
    }

    @Override
    public Inbox inbox(Domain domain) throws NoSuchInboxException {
        return mail.inbox(domain);
    }

    @Override
    public void close() {}
}
