package dev.pheromone.testkit;

import dev.pheromone.Capability;
import dev.pheromone.HiveConfig;
import dev.pheromone.Inbox;
import dev.pheromone.PublicCheck;
import dev.pheromone.Receipt;
import dev.pheromone.Recipients;
import dev.pheromone.SendResult;
import dev.pheromone.State;
import dev.pheromone.Transport;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.address.Reach;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.life.Life;
import dev.pheromone.trust.TrustList;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;

/// A hive in memory, for tests of what is built over a transport. Of the promises that not every
/// transport makes it keeps the effective order, shared turns, and pauses of what is released. Safe
/// for use by several threads.
public final class MemoryTransport implements Transport {

    private final Map<Domain, MemoryInbox> inboxes = new ConcurrentSkipListMap<>();
    private final InstantSource clock;
    private final TrustList trust;
    private final HiveConfig config;
    private final PublicCheck publicCheck;

    /// A hive with these inboxes, all empty, that trusts nobody's key.
    public MemoryTransport(InstantSource clock, Domain... domains) {
        this(clock, TrustList.empty(), domains);
    }

    /// A hive with these inboxes, all empty, that trusts these keys, and refuses public mail.
    public MemoryTransport(InstantSource clock, TrustList trust, Domain... domains) {
        this(clock, trust, HiveConfig.defaults(), PublicCheck.REFUSES_ALL, domains);
    }

    /// A hive with these inboxes, all empty, that trusts these keys, by the rules of `config` about
    /// decay, turns, attempts and signatures; it refuses public mail.
    public MemoryTransport(
            InstantSource clock, TrustList trust, HiveConfig config, Domain... domains) {
        this(clock, trust, config, PublicCheck.REFUSES_ALL, domains);
    }

    /// A hive with these inboxes, all empty, that trusts these keys, and has `publicCheck` look
    /// through public mail.
    public MemoryTransport(
            InstantSource clock, TrustList trust, PublicCheck publicCheck, Domain... domains) {
        this(clock, trust, HiveConfig.defaults(), publicCheck, domains);
    }

    private MemoryTransport(
            InstantSource clock,
            TrustList trust,
            HiveConfig config,
            PublicCheck publicCheck,
            Domain... domains) {
        this.clock = clock;
        this.trust = trust;
        this.config = config;
        this.publicCheck = publicCheck;
        for (Domain domain : domains) {
            createInbox(domain);
        }
    }

    @Override
    public void createInbox(Domain inbox) {
        inboxes.computeIfAbsent(inbox, domain -> new MemoryInbox(domain, clock, trust, config));
    }

    @Override
    public Reach reach() {
        return Reach.LOCAL;
    }

    @Override
    public Set<Capability> capabilities() {
        return EnumSet.of(
                Capability.EFFECTIVE_ORDER, Capability.SHARED_TURNS, Capability.PAUSES_RELEASED);
    }

    @Override
    public Receipt send(Envelope envelope) throws NoSuchInboxException {
        Map<Domain, Address> targets = new LinkedHashMap<>();
        for (Address address : envelope.to()) {
            MemoryInbox _ = find(address.domain());
            targets.putIfAbsent(address.domain(), address);
        }
        return put(envelope, targets);
    }

    @Override
    public Receipt send(Envelope envelope, Domain inbox) throws NoSuchInboxException {
        return put(envelope, Map.of(inbox, inbox.address()));
    }

    private Receipt put(Envelope envelope, Map<Domain, Address> targets)
            throws NoSuchInboxException {
        @Nullable SendResult refusal = refusal(envelope);
        List<Receipt.Copy> copies = new ArrayList<>();
        for (Map.Entry<Domain, Address> target : targets.entrySet()) {
            SendResult result = refusal == null ? find(target.getKey()).put(envelope) : refusal;
            copies.add(new Receipt.Copy(target.getValue(), target.getKey(), result));
        }
        return new Receipt(envelope.id(), envelope.hash(), copies);
    }

    private @Nullable SendResult refusal(Envelope envelope) {
        try {
            return Recipients.refusal(envelope, reach(), publicCheck).orElse(null);
        } catch (IOException e) {
            return new SendResult.Failed(e);
        }
    }

    @Override
    public List<Domain> domains() {
        return List.copyOf(inboxes.keySet());
    }

    /// As a receiver does: stores one copy in `inbox`.
    public SendResult put(Envelope envelope, Domain inbox) throws IOException {
        try {
            return send(envelope, inbox).copies().getFirst().result();
        } catch (NoSuchInboxException e) {
            throw new IOException(e);
        }
    }

    /// All that ever arrived in an inbox, whatever became of it.
    public List<Envelope> stored(Domain inbox) throws NoSuchInboxException {
        return find(inbox).stored();
    }

    /// The life of a copy; empty if there never was one.
    public Optional<Life> life(EnvelopeId id, Domain inbox) {
        MemoryInbox known = inboxes.get(inbox);
        return known == null ? Optional.empty() : known.life(id);
    }

    @Override
    public Optional<State> stateOf(EnvelopeId id, Domain inbox) {
        return life(id, inbox).map(Life::state);
    }

    @Override
    public Inbox inbox(Domain domain) throws NoSuchInboxException {
        return find(domain);
    }

    private MemoryInbox find(Domain domain) throws NoSuchInboxException {
        MemoryInbox inbox = inboxes.get(domain);
        if (inbox == null) {
            throw new NoSuchInboxException(domain.address(), domains());
        }
        return inbox;
    }

    /// Does nothing: what is in memory stays as long as this object.
    @Override
    public void close() {}
}
