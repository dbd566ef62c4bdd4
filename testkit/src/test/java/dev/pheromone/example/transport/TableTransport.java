package dev.pheromone.example.transport;

import dev.pheromone.Capability;
import dev.pheromone.Claim;
import dev.pheromone.HiveConfig;
import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.PublicCheck;
import dev.pheromone.Receipt;
import dev.pheromone.Recipients;
import dev.pheromone.Selection;
import dev.pheromone.SendResult;
import dev.pheromone.Settlement;
import dev.pheromone.Settlement.Confirmation;
import dev.pheromone.State;
import dev.pheromone.Transport;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.address.Reach;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Header;
import dev.pheromone.life.Acceptance;
import dev.pheromone.life.Acceptance.Objection;
import dev.pheromone.life.Answer;
import dev.pheromone.life.ClaimToken;
import dev.pheromone.life.Life;
import dev.pheromone.life.LifeLimits;
import dev.pheromone.life.Look;
import dev.pheromone.life.Resend;
import dev.pheromone.life.Resend.Likeness;
import dev.pheromone.life.Term;
import dev.pheromone.selection.Urgency;
import dev.pheromone.selection.Waiting;
import dev.pheromone.selection.WaitingLine;
import dev.pheromone.trust.SignatureCheck;
import dev.pheromone.trust.TrustList;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/// A transport over two tables that have a compare-and-set: put a row if there is none, replace a
/// row if it is still the one that was read.
public final class TableTransport implements Transport {

    /// What names a copy.
    public record CopyName(Domain inbox, EnvelopeId id) {}

    /// A copy.
    public record Row(Envelope envelope, Life life) {

        Row with(Life next) {
            return new Row(envelope, next);
        }
    }

    /// The store; a database would have columns and a version in the place of these maps.
    ///
    /// @param picks the inboxes, and how often somebody has picked from each
    public record Tables(ConcurrentMap<CopyName, Row> copies, ConcurrentMap<Domain, Long> picks) {}

    private final Tables tables;
    private final TrustList trust;
    private final HiveConfig config;
    private final InstantSource clock;
    private final Recipients recipients;

    public TableTransport(
            Tables tables,
            TrustList trust,
            HiveConfig config,
            PublicCheck publicCheck,
            InstantSource clock) {
        this.tables = tables;
        this.trust = trust;
        this.config = config;
        this.clock = clock;
        recipients = new Recipients(new Inboxes(), config, reach(), publicCheck, this::put);
    }

    private final class Inboxes implements Recipients.Inboxes {

        @Override
        public List<Domain> list() {
            return tables.picks().keySet().stream().sorted().toList();
        }

        @Override
        public void make(Domain inbox) {
            tables.picks().putIfAbsent(inbox, 0L);
        }
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
    public Receipt send(Envelope envelope) throws IOException, NoSuchInboxException {
        return recipients.send(envelope);
    }

    @Override
    public Receipt send(Envelope envelope, Domain inbox) throws IOException, NoSuchInboxException {
        return recipients.send(envelope, inbox);
    }

    /// Stores one copy, unless the life of an earlier one of this id says otherwise.
    private SendResult put(Envelope envelope, Domain inbox) {
        CopyName key = new CopyName(inbox, envelope.id());
        String location = inbox + "/" + envelope.id();
        Row fresh = new Row(envelope, Life.begun(envelope.fingerprint(), clock.instant()));
        for (Row known = tables.copies().putIfAbsent(key, fresh);
                known != null;
                known = tables.copies().putIfAbsent(key, fresh)) {
            boolean isSame = known.life().mail().equals(envelope.fingerprint());
            Likeness likeness = isSame ? Likeness.SAME : Likeness.OTHER;
            switch (known.life().sentAgain(likeness, envelope.id())) {
                case Resend.Duplicate _ -> {
                    return new SendResult.Duplicate(location);
                }
                case Resend.Conflict(var reason) -> {
                    return new SendResult.Conflict(location, reason);
                }
                case Resend.Anew _ -> {
                    if (tables.copies().replace(key, known, fresh)) {
                        return new SendResult.Delivered(location);
                    }
                }
            }
        }
        return new SendResult.Delivered(location);
    }

    @Override
    public List<Domain> domains() throws IOException {
        return recipients.domains();
    }

    @Override
    public void createInbox(Domain inbox) throws IOException {
        recipients.make(List.of(inbox));
    }

    @Override
    public Optional<State> stateOf(EnvelopeId id, Domain inbox) {
        return Optional.ofNullable(tables.copies().get(new CopyName(inbox, id)))
                .map(row -> row.life().state());
    }

    @Override
    public Inbox inbox(Domain domain) throws IOException, NoSuchInboxException {
        recipients.check(domain.address(), domain);
        return new TableInbox(domain);
    }

    @Override
    public void close() {}

    private final class TableInbox implements Inbox {

        private static final Duration POLL_EVERY = Duration.ofMillis(20);

        private final Domain domain;
        private final LifeLimits limits = LifeLimits.of(config);

        TableInbox(Domain domain) {
            this.domain = domain;
        }

        @Override
        public Domain domain() {
            return domain;
        }

        @Override
        public List<Waiting> waiting() {
            Instant now = clock.instant();
            List<Waiting> waiting = new ArrayList<>();
            for (Row row : line(now).inOrder(now, Urgency.Turn.NORMAL)) {
                waiting.add(
                        new Waiting.Mail(
                                Header.of(row.envelope()),
                                urgency(row),
                                row.life().attempt(),
                                domain + "/" + row.envelope().id()));
            }
            return waiting;
        }

        /// All copies that wait here.
        private WaitingLine<Row> line(Instant now) {
            WaitingLine<Row> line = new WaitingLine<>();
            for (Map.Entry<CopyName, Row> copy : tables.copies().entrySet()) {
                if (copy.getKey().inbox().equals(domain)
                        && copy.getValue().life().state() == State.WAITING) {
                    line.put(copy.getValue(), urgency(copy.getValue()), now);
                }
            }
            return line;
        }

        private Urgency urgency(Row row) {
            Envelope envelope = row.envelope();
            Duration ttl = envelope.ttl().duration();
            return new Urgency(
                    envelope.id(),
                    envelope.priority(),
                    envelope.ts(),
                    row.life().firstSeen(),
                    ttl,
                    config.halfLife().of(ttl),
                    row.life().failures(),
                    row.life().notBefore());
        }

        @Override
        public Selection select(Actor worker, Lease lease) {
            Instant now = clock.instant();
            takeDueSteps(now);
            while (true) {
                WaitingLine<Row> line = line(now);
                long picks = Objects.requireNonNull(tables.picks().get(domain));
                Urgency.Turn turn = Urgency.Turn.of(picks + 1, config.dueTurn());
                Optional<Row> picked = line.pick(now, turn);
                if (picked.isEmpty()) {
                    return new Selection.Nothing();
                }
                Row row = picked.get();
                SignatureCheck signature = trust.check(row.envelope(), now, config.signatures());
                List<Objection> objections =
                        Acceptance.objections(
                                row.envelope(), row.life().firstSeen(), signature, domain, config);
                if (!objections.isEmpty()) {
                    boolean _ = store(row, row.life().refused(objections.getFirst()).life());
                    continue;
                }
                String tag = UUID.randomUUID().toString().replace("-", "");
                ClaimToken token =
                        new ClaimToken(
                                row.envelope().id(),
                                row.life().attempt(),
                                worker,
                                now,
                                lease.duration(),
                                tag);
                Life claimed = row.life().claimed(token, lease).life();
                // Each turn is for one reader, and so is each copy; a reader that comes second to
                // either looks again.
                if (tables.picks().replace(domain, picks, picks + 1) && store(row, claimed)) {
                    return new Selection.Taken(
                            new Claim(
                                    token.toString(),
                                    row.envelope(),
                                    domain,
                                    worker,
                                    token.attempt(),
                                    token.claimedAt(),
                                    token.claimedAt().plus(lease.duration()),
                                    signature,
                                    urgency(row).rationale(turn, line.size(), now),
                                    domain + "/" + row.envelope().id()));
                }
            }
        }

        /// Ends leases and mail whose time is over.
        private void takeDueSteps(Instant now) {
            for (Map.Entry<CopyName, Row> copy : tables.copies().entrySet()) {
                Row row = copy.getValue();
                if (copy.getKey().inbox().equals(domain)
                        && row.life().look(Term.of(row.envelope()), now, limits)
                                instanceof Look.Due(var step)) {
                    boolean _ = store(row, step.life());
                }
            }
        }

        /// Stores the next life of a copy, unless somebody was faster.
        private boolean store(Row row, Life next) {
            return tables.copies()
                    .replace(new CopyName(domain, row.envelope().id()), row, row.with(next));
        }

        @Override
        public void await(Duration timeout) throws InterruptedException {
            TimeUnit.MILLISECONDS.sleep(Math.min(timeout.toMillis(), POLL_EVERY.toMillis()));
        }

        @Override
        public Settlement renew(String claim) {
            return change(claim, row -> row.life().renewed(claim, clock.instant()));
        }

        @Override
        public Settlement settle(String claim, Outcome outcome) {
            return change(
                    claim,
                    row ->
                            row.life()
                                    .settled(
                                            claim,
                                            outcome,
                                            Term.of(row.envelope()),
                                            clock.instant(),
                                            limits));
        }

        private static Settlement settlement(Life life) {
            Life.Holder holder = life.holder();
            return life.state() == State.ACTIVE && holder != null
                    ? new Settlement.Renewed(holder.leaseEndsAt())
                    : new Settlement.Settled(life.state(), Confirmation.UNKNOWN);
        }

        private Settlement change(String claim, Function<Row, Answer> step) {
            while (true) {
                Optional<Row> row =
                        ClaimToken.idOf(claim)
                                .map(id -> tables.copies().get(new CopyName(domain, id)));
                if (row.isEmpty()) {
                    return new Settlement.Lost(Life.lost(claim).reason());
                }
                switch (step.apply(row.get())) {
                    case Answer.Lost(var reason) -> {
                        return new Settlement.Lost(reason);
                    }
                    case Answer.ToldBefore(var state) -> {
                        return new Settlement.Settled(state, Confirmation.UNKNOWN);
                    }
                    case Answer.Taken(var taken) -> {
                        Life next = taken.life();
                        if (store(row.get(), next)) {
                            return settlement(next);
                        }
                    }
                }
            }
        }
    }
}
