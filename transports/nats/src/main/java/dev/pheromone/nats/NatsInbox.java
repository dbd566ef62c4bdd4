package dev.pheromone.nats;

import dev.pheromone.Claim;
import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.Settlement;
import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Header;
import dev.pheromone.envelope.MalformedEnvelopeException;
import dev.pheromone.envelope.Priority;
import dev.pheromone.nats.Inspection.Candidate;
import dev.pheromone.nats.MailRecords.Versioned;
import dev.pheromone.selection.Urgency;
import dev.pheromone.selection.Waiting;

import io.nats.client.Subscription;
import io.nats.client.api.MessageInfo;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// An inbox of a [NatsTransport].
final class NatsInbox implements Inbox {

    /// How many copies one selection looks at, most of which are another's or paused.
    private static final int LOOKS_MAX = 1_000;

    /// How much mail a look shows.
    private static final int SHOWN_MAX = 1_000;

    /// How long a wait trusts that it hears of mail: it may be heard of before it can be taken, and
    /// nothing is heard when a pause ends.
    private static final Duration SCAN_EVERY = Duration.ofSeconds(1);

    /// What was stored a moment ago may not be at hand yet: a consumer learns of it after the
    /// sender, and on a busy machine that takes tens of milliseconds. So long we wait each time
    /// before we ask again, until we say that there is nothing. A request that waits on the server
    /// would be no better: it takes mail for which nobody here waits any more.
    private static final List<Duration> LATE =
            List.of(
                    Duration.ZERO,
                    Duration.ofNanos(500_000),
                    Duration.ofMillis(2),
                    Duration.ofMillis(10),
                    Duration.ofMillis(80));

    private final NatsOptions options;
    private final InstantSource clock;
    private final Domain domain;
    private final ReconnectingConnection connection;
    private final Names names;
    private final MailRecords records;
    private final MailStream stream;
    private final HandedCopies copies;
    private final Inspection inspection;
    private final Claims claims;
    private final Picks picks;
    private @Nullable Subscription arrivals;

    NatsInbox(
            NatsOptions options,
            InstantSource clock,
            Domain domain,
            ReconnectingConnection connection,
            Names names,
            HandedCopies copies,
            Inspection inspection,
            Claims claims) {
        this.options = options;
        this.clock = clock;
        this.domain = domain;
        this.connection = connection;
        this.names = names;
        this.copies = copies;
        this.inspection = inspection;
        this.claims = claims;
        picks = new Picks(connection, names, domain);
        records = new MailRecords(connection, names);
        stream = new MailStream(connection, names);
    }

    @Override
    public Domain domain() {
        return domain;
    }

    @Override
    public Selection select(Actor worker, Lease lease) throws IOException {
        Instant now = clock.instant();
        Map<Priority, Candidate> heads = new EnumMap<>(Priority.class);
        try (Exchange exchange = connection.exchange()) {
            Exchange.Later<Picks.Pick> next = picks.nextSoon(exchange);
            Set<Priority> likely = copies.likely();
            fill(heads, likely, now);
            for (int i = 0; i < LATE.size() && heads.isEmpty(); i++) {
                pause(LATE.get(i));
                fill(heads, i == 0 ? likely : EnumSet.allOf(Priority.class), now);
            }
            fillWhatIsHeldBack(heads, now);
            while (!heads.isEmpty()) {
                Picks.Pick pick = next.get();
                Urgency.Turn turn = Urgency.Turn.of(pick.number(), options.config().dueTurn());
                Candidate first = first(heads, turn, now);
                String rationale =
                        first.urgency().rationale(turn, heads.size(), now)
                                + " first of their class";
                Runnable counting = picks.count(exchange, pick);
                Optional<Claim> claim = claims.claim(first, worker, lease, rationale);
                heads.remove(first.copy().priority());
                if (claim.isPresent()) {
                    counting.run();
                    return new Selection.Taken(claim.get());
                }
                next = picks.nextSoon(exchange);
                // Its record is another than we thought, which only a look can tell.
                Optional<Candidate> again = inspection.lookAgain(first, now);
                if (again.isPresent()) {
                    heads.put(first.copy().priority(), again.get());
                } else {
                    fill(heads, EnumSet.of(first.copy().priority()), now);
                }
            }
            return new Selection.Nothing();
        } finally {
            for (Candidate other : heads.values()) {
                copies.giveBack(other.copy().ackSubject());
            }
        }
    }

    /// A consumer that finds its way to another server keeps silent meanwhile. That is not taken
    /// for an empty inbox.
    private void fillWhatIsHeldBack(Map<Priority, Candidate> heads, Instant now)
            throws IOException {
        long end = System.nanoTime() + options.patience().toNanos();
        while (heads.isEmpty() && copies.isHeldBack()) {
            if (System.nanoTime() - end >= 0) {
                throw new IOException("nats server: has mail for " + domain + ", hands out none");
            }
            pause(LATE.getLast());
            fill(heads, EnumSet.allOf(Priority.class), now);
        }
    }

    private static void pause(Duration time) throws IOException {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while asking for mail");
        }
    }

    /// Asks for the first of each of these classes until it is one that may be claimed, or there is
    /// none.
    private void fill(Map<Priority, Candidate> heads, Set<Priority> classes, Instant now)
            throws IOException {
        Set<Priority> open = EnumSet.noneOf(Priority.class);
        open.addAll(classes);
        for (int looks = 0; looks < LOOKS_MAX && !open.isEmpty(); looks++) {
            Map<Priority, HandedCopy> next = copies.next(open);
            open.retainAll(next.keySet());
            List<HandedCopy> unseen = new ArrayList<>(next.values());
            try {
                while (!unseen.isEmpty()) {
                    HandedCopy copy = unseen.getLast();
                    Optional<Candidate> candidate = inspection.look(copy, now);
                    unseen.removeLast();
                    if (candidate.isPresent()) {
                        heads.put(copy.priority(), candidate.get());
                        open.remove(copy.priority());
                    }
                }
            } finally {
                copies.giveBackSoon(unseen);
            }
        }
    }

    /// We sent something of this class here.
    void arrived(Priority priority) {
        copies.arrived(priority);
    }

    private static Candidate first(Map<Priority, Candidate> heads, Urgency.Turn turn, Instant now) {
        Comparator<Urgency> order =
                switch (turn) {
                    case NORMAL -> Urgency.normalOrder(now);
                    case DUE -> Urgency.dueOrder();
                    case DRAIN -> Urgency.drainOrder();
                };
        return heads.values().stream()
                .min(Comparator.comparing(Candidate::urgency, order))
                .orElseThrow();
    }

    @Override
    public List<Waiting> waiting() throws IOException {
        Instant now = clock.instant();
        List<Waiting.Mail> mail = new ArrayList<>();
        List<Waiting> all = new ArrayList<>();
        Optional<MessageInfo> next = stream.next(domain, 1);
        while (next.isPresent() && mail.size() + all.size() < SHOWN_MAX) {
            MessageInfo message = next.get();
            try {
                waiting(message).ifPresent(mail::add);
            } catch (MalformedEnvelopeException e) {
                String name = Names.lastPart(message.getSubject());
                all.add(
                        new Waiting.Bad(
                                domain + "/" + name,
                                String.valueOf(e.getMessage()),
                                EnvelopeId.isId(name) ? EnvelopeId.parse(name) : null));
            }
            next = stream.next(domain, message.getSeq() + 1);
        }
        mail.sort(Comparator.comparing(Waiting.Mail::urgency, Urgency.normalOrder(now)));
        all.addAll(0, mail);
        return all;
    }

    private Optional<Waiting.Mail> waiting(MessageInfo message)
            throws IOException, MalformedEnvelopeException {
        Envelope envelope = Envelope.parse(MailStream.bytes(message));
        Optional<Versioned> known = records.find(domain, envelope.id());
        MailRecord record =
                known.isPresent()
                        ? known.get().record()
                        : MailRecord.fresh(
                                envelope.fingerprint(),
                                HandedCopies.firstSeen(
                                        message.getHeaders(), message.getTime().toInstant()));
        if (record.life().state() != State.WAITING) {
            return Optional.empty();
        }
        return Optional.of(
                new Waiting.Mail(
                        Header.of(envelope),
                        inspection.urgency(envelope, record.life()),
                        record.life().attempt(),
                        domain + "/" + envelope.id()));
    }

    @Override
    public void await(Duration timeout) throws IOException, InterruptedException {
        Duration wait = timeout.compareTo(SCAN_EVERY) > 0 ? SCAN_EVERY : timeout;
        if (!wait.isPositive()) {
            return;
        }
        try {
            var _ = arrivals().nextMessage(wait);
        } catch (IllegalStateException e) {
            throw new IOException("nats server: the connection is closed", e);
        }
    }

    /// Hears each copy on its way into the stream. One is enough to wake up, so only one is kept.
    private synchronized Subscription arrivals() throws IOException {
        if (arrivals == null || !arrivals.isActive()) {
            arrivals = connection.listen(names.mailOf(domain));
            arrivals.setPendingLimits(1, -1);
        }
        return arrivals;
    }

    @Override
    public Settlement renew(String claim) throws IOException {
        return claims.renew(claim);
    }

    @Override
    public Settlement settle(String claim, Outcome outcome) throws IOException {
        return claims.settle(claim, outcome);
    }
}
