package dev.pheromone.nats;

import dev.pheromone.Capability;
import dev.pheromone.Ended;
import dev.pheromone.Inbox;
import dev.pheromone.Lag;
import dev.pheromone.Receipt;
import dev.pheromone.Recipients;
import dev.pheromone.SendResult;
import dev.pheromone.State;
import dev.pheromone.Transport;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.address.Reach;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.MalformedEnvelopeException;
import dev.pheromone.nats.MailRecords.Versioned;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// A hive on a NATS server with JetStream. Any number of processes on any number of machines may
/// use it at once. Safe for use by several threads.
///
/// Mail is a message in a work queue; a record in a key-value bucket says whose it is and how it
/// ended. The record is the truth: what the server hands out twice has one effect.
public final class NatsTransport implements Transport {

    /// Within which a consumer has what the server has stored: tens of milliseconds on a busy
    /// machine, and a selection waits for most of them.
    private static final Duration AT_HAND_MAX = Duration.ofSeconds(1);

    private final NatsOptions options;
    private final InstantSource clock;
    private final ReconnectingConnection connection;
    private final ServerSetup setup;
    private final Recipients recipients;
    private final MailRecords records;
    private final MailStream stream;
    private final Ownership ownership;
    private final Names names;
    private final Map<Domain, NatsInbox> inboxes = new ConcurrentHashMap<>();

    private NatsTransport(
            NatsOptions options, InstantSource clock, ReconnectingConnection connection) {
        this.options = options;
        this.clock = clock;
        this.connection = connection;
        names = new Names(options.hive());
        setup = new ServerSetup(connection, names, options);
        recipients =
                new Recipients(setup, options.config(), reach(), options.publicCheck(), this::put);
        records = new MailRecords(connection, names);
        stream = new MailStream(connection, names);
        ownership = new Ownership(records, stream);
    }

    /// The hive that `options` name; it is made if it is not there.
    public static NatsTransport open(NatsOptions options, InstantSource clock) throws IOException {
        ReconnectingConnection connection = new ReconnectingConnection(options);
        try {
            NatsTransport transport = new NatsTransport(options, clock, connection);
            transport.setup.makeStreams();
            transport.recipients.make(options.inboxes());
            return transport;
        } catch (IOException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    @Override
    public void createInbox(Domain inbox) throws IOException {
        recipients.make(List.of(inbox));
    }

    @Override
    public Reach reach() {
        Reach declared = options.reach();
        return declared == null ? ServerUrls.reach(options.url()) : declared;
    }

    @Override
    public Set<Capability> capabilities() {
        return EnumSet.of(Capability.PAUSES_RELEASED, Capability.SHARED_TURNS);
    }

    /// The server hands out mail that was given to somebody, or that pauses, only when it was kept
    /// back for long enough.
    @Override
    public Lag lag() {
        return new Lag(AT_HAND_MAX, options.lookAgain().plus(AT_HAND_MAX));
    }

    @Override
    public Receipt send(Envelope envelope) throws IOException, NoSuchInboxException {
        return recipients.send(envelope);
    }

    @Override
    public Receipt send(Envelope envelope, Domain inbox) throws IOException, NoSuchInboxException {
        return recipients.send(envelope, inbox);
    }

    private SendResult put(Envelope envelope, Domain domain) throws IOException {
        String location = names.mail(domain, envelope.priority(), envelope.id());
        SendResult result =
                new Sending(records, stream, ownership, envelope, domain, location, clock.instant())
                        .send();
        @Nullable NatsInbox inbox = inboxes.get(domain);
        if (inbox != null && !(result instanceof SendResult.Conflict)) {
            inbox.arrived(envelope.priority());
        }
        return result;
    }

    @Override
    public List<Domain> domains() throws IOException {
        return recipients.domains();
    }

    /// Only what waits or is being worked on: what is done is not kept.
    @Override
    public Optional<Found> find(EnvelopeId id) throws IOException {
        for (Domain domain : recipients.domains()) {
            Optional<Versioned> known = records.find(domain, id);
            if (known.isPresent() && known.get().record().life().state().isFinal()) {
                continue;
            }
            State state = known.isPresent() ? known.get().record().life().state() : State.WAITING;
            Optional<byte[]> bytes = stream.find(domain, id);
            if (bytes.isPresent()) {
                try {
                    return Optional.of(new Found(Envelope.parse(bytes.get()), domain, state));
                } catch (MalformedEnvelopeException e) {
                    throw new IOException("envelope " + id + ": " + e.getMessage(), e);
                }
            }
        }
        return Optional.empty();
    }

    /// Its record outlives it.
    @Override
    public Optional<State> stateOf(EnvelopeId id, Domain inbox) throws IOException {
        Optional<Versioned> known = records.find(inbox, id);
        return known.isPresent()
                ? Optional.of(known.get().record().life().state())
                : stream.find(inbox, id).map(_ -> State.WAITING);
    }

    @Override
    public Optional<List<Ended>> ended(int countMax) throws IOException {
        return Optional.of(stream.archived(countMax));
    }

    @Override
    public List<String> troubles() throws IOException {
        setup.requireRoom(clock.instant());
        return setup.madeAnew();
    }

    @Override
    public Inbox inbox(Domain domain) throws IOException, NoSuchInboxException {
        recipients.check(domain.address(), domain);
        return inboxes.computeIfAbsent(domain, this::openInbox);
    }

    private NatsInbox openInbox(Domain domain) {
        HandedCopies copies = new HandedCopies(connection, names, stream, domain);
        Inspection inspection = new Inspection(options, domain, records, stream, ownership, copies);
        Claims claims = new Claims(options, clock, domain, records, stream, copies, inspection);
        return new NatsInbox(options, clock, domain, connection, names, copies, inspection, claims);
    }

    /// Ends the connection. Claims stay, until they are settled or their leases end.
    @Override
    public void close() throws IOException {
        connection.close();
    }
}
