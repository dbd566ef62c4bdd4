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
import dev.pheromone.life.Life;
import dev.pheromone.life.Resend;
import dev.pheromone.life.Resend.Likeness;
import dev.pheromone.life.Why;
import dev.pheromone.nats.MailRecords.Versioned;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
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
    private final Link link;
    private final ServerSetup setup;
    private final Recipients recipients;
    private final MailRecords records;
    private final MailStream stream;
    private final Names names;
    private final Map<Domain, NatsInbox> inboxes = new ConcurrentHashMap<>();

    private NatsTransport(NatsOptions options, InstantSource clock, Link link) {
        this.options = options;
        this.clock = clock;
        this.link = link;
        names = new Names(options.hive());
        setup = new ServerSetup(link, names, options);
        recipients =
                new Recipients(setup, options.config(), reach(), options.publicCheck(), this::put);
        records = new MailRecords(link, names);
        stream = new MailStream(link, names);
    }

    /// The hive that `options` name; it is made if it is not there.
    public static NatsTransport open(NatsOptions options, InstantSource clock) throws IOException {
        Link link = new Link(options);
        try {
            NatsTransport transport = new NatsTransport(options, clock, link);
            transport.setup.makeStreams();
            transport.recipients.make(options.inboxes());
            return transport;
        } catch (IOException | RuntimeException e) {
            link.close();
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

    /// Stores the mail and marks its id, both at once. If the mark turns out to be another's, the
    /// mail is taken back; who was handed it meanwhile saw that, too.
    private SendResult put(Envelope envelope, Domain domain) throws IOException {
        String location = names.mail(domain, envelope.priority(), envelope.id());
        Instant now = clock.instant();
        MailStream.Stored stored;
        MailRecords.Mark mark;
        try (Exchange exchange = link.exchange()) {
            Exchange.Later<MailRecords.Mark> marking =
                    records.markSoon(exchange, domain, envelope.id(), envelope.fingerprint());
            stored = stream.store(domain, envelope, now, "");
            mark = marking.get();
        }
        boolean isFirst = mark.isNew() && stored instanceof MailStream.Stored.Now;
        Optional<Versioned> known =
                isFirst ? Optional.empty() : records.find(domain, envelope.id());
        MailRecords.Mark before = mark;
        Optional<Versioned> freed =
                known.filter(found -> found.record().leavesFree(before, envelope.id()));
        if (freed.isPresent()) {
            mark =
                    records.markIfFree(
                            domain,
                            envelope.id(),
                            envelope.fingerprint(),
                            before,
                            freed.get().record());
        }
        if (!mark.mail().equals(envelope.fingerprint())) {
            if (stored instanceof MailStream.Stored.Now(var sequence)) {
                stream.takeBack(sequence);
            }
            return conflict(envelope, domain, location);
        }
        @Nullable NatsInbox inbox = inboxes.get(domain);
        if (inbox != null) {
            inbox.arrived(envelope.priority());
        }
        if (isFirst) {
            return new SendResult.Delivered(location);
        }
        return freed.isPresent()
                ? putAnew(envelope, domain, stored, freed.get(), location, now)
                : putAgain(envelope, domain, stored, known, location, now);
    }

    /// Begins a new life in the place of one that left its id free. The copy is stored before its
    /// record, so that no record is of mail which is not there.
    private SendResult putAnew(
            Envelope envelope,
            Domain domain,
            MailStream.Stored first,
            Versioned ended,
            String location,
            Instant now)
            throws IOException {
        MailStream.Stored stored = first;
        if (first instanceof MailStream.Stored.Before(var old)
                && old.getSeq() == ended.record().sequence()) {
            // Who ended it has not told the server yet, or died.
            Life life = ended.record().life();
            stream.archive(domain, envelope.id(), old.getSeq(), life, MailStream.bytes(old));
            stream.takeBack(old.getSeq());
            stored = new MailStream.Stored.Gone();
        }
        stored = inPlace(envelope, domain, stored, now);
        return switch (stored) {
            case MailStream.Stored.Now(var sequence) -> {
                begin(envelope, domain, sequence, ended, now);
                yield new SendResult.Delivered(location);
            }
            case MailStream.Stored.Before other when other.is(envelope) -> {
                begin(envelope, domain, other.there().getSeq(), ended, now);
                yield new SendResult.Duplicate(location);
            }
            case MailStream.Stored.Before _ -> conflict(envelope, domain, location);
            case MailStream.Stored.Gone _ -> new SendResult.Duplicate(location);
        };
    }

    /// Writes the record of a new life, unless somebody was faster: a reader who has claimed the
    /// copy, or another sender of the same mail.
    private void begin(
            Envelope envelope, Domain domain, long sequence, Versioned ended, Instant now)
            throws IOException {
        MailRecord fresh = MailRecord.fresh(envelope.fingerprint(), now).at(sequence);
        OptionalLong _ = records.replace(domain, envelope.id(), fresh, ended.revision());
    }

    /// Stores mail that has the mark of its id, if it is not there; and clears its place of other
    /// mail, to which the mark has decided that the place does not belong.
    private MailStream.Stored inPlace(
            Envelope envelope, Domain domain, MailStream.Stored first, Instant now)
            throws IOException {
        MailStream.Stored stored = first;
        if (first instanceof MailStream.Stored.Before before && !before.is(envelope)) {
            stream.evict(domain, envelope.id(), before.there());
            stored = new MailStream.Stored.Gone();
        }
        return stored instanceof MailStream.Stored.Gone
                ? stream.store(domain, envelope, now, "|" + now)
                : stored;
    }

    /// What became of mail whose id was known, or which was there: somebody sent it before, and may
    /// have died before it was stored.
    private SendResult putAgain(
            Envelope envelope,
            Domain domain,
            MailStream.Stored first,
            Optional<Versioned> found,
            String location,
            Instant now)
            throws IOException {
        Optional<Versioned> known =
                found.filter(of -> of.record().life().mail().equals(envelope.fingerprint()));
        MailStream.Stored stored = known.isEmpty() ? inPlace(envelope, domain, first, now) : first;
        return switch (stored) {
            case MailStream.Stored.Now(var sequence) -> {
                if (known.isPresent() && known.get().record().sequence() != sequence) {
                    stream.takeBack(sequence);
                    yield new SendResult.Duplicate(location);
                }
                yield new SendResult.Delivered(location);
            }
            case MailStream.Stored.Before other ->
                    known.isPresent() || other.is(envelope)
                            ? new SendResult.Duplicate(location)
                            : conflict(envelope, domain, location);
            case MailStream.Stored.Gone _ -> new SendResult.Duplicate(location);
        };
    }

    private SendResult conflict(Envelope envelope, Domain domain, String location)
            throws IOException {
        EnvelopeId id = envelope.id();
        Optional<Versioned> known = records.find(domain, id);
        return new SendResult.Conflict(
                location,
                known.isPresent()
                                && known.get().record().life().sentAgain(Likeness.OTHER, id)
                                        instanceof Resend.Conflict(var reason)
                        ? reason
                        : Why.ID_TAKEN.text(id));
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
        Offers offers = new Offers(link, names, stream, domain);
        Inspection inspection = new Inspection(options, domain, records, stream, offers);
        Claims claims = new Claims(options, clock, domain, records, stream, offers, inspection);
        return new NatsInbox(options, clock, domain, link, names, offers, inspection, claims);
    }

    /// Ends the connection. Claims stay, until they are settled or their leases end.
    @Override
    public void close() throws IOException {
        link.close();
    }
}
