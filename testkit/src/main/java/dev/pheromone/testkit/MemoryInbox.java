package dev.pheromone.testkit;

import dev.pheromone.Claim;
import dev.pheromone.HiveConfig;
import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.SendResult;
import dev.pheromone.Settlement;
import dev.pheromone.Settlement.Confirmation;
import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Header;
import dev.pheromone.life.Acceptance;
import dev.pheromone.life.Answer;
import dev.pheromone.life.ClaimToken;
import dev.pheromone.life.Life;
import dev.pheromone.life.LifeLimits;
import dev.pheromone.life.Look;
import dev.pheromone.life.Resend;
import dev.pheromone.life.Resend.Likeness;
import dev.pheromone.life.Term;
import dev.pheromone.selection.HalfLife;
import dev.pheromone.selection.Urgency;
import dev.pheromone.selection.Waiting;
import dev.pheromone.selection.WaitingLine;
import dev.pheromone.trust.SignatureCheck;
import dev.pheromone.trust.TrustList;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/// An inbox of a [MemoryTransport]: a map of lives.
final class MemoryInbox implements Inbox {

    /// One copy.
    private record Copy(Envelope envelope, Life life) {

        Urgency urgency(HalfLife halfLife) {
            Duration ttl = envelope.ttl().duration();
            return new Urgency(
                    envelope.id(),
                    envelope.priority(),
                    envelope.ts(),
                    life.firstSeen(),
                    ttl,
                    halfLife.of(ttl),
                    life.failures(),
                    life.notBefore());
        }
    }

    private final Domain domain;
    private final InstantSource clock;
    private final TrustList trust;
    private final HiveConfig config;
    private final LifeLimits limits;
    private final Map<EnvelopeId, Copy> copies = new HashMap<>();
    private final WaitingLine<EnvelopeId> line = new WaitingLine<>();
    private long picks;
    private long arrivals;
    private long heeded;

    MemoryInbox(Domain domain, InstantSource clock, TrustList trust, HiveConfig config) {
        this.domain = domain;
        this.clock = clock;
        this.trust = trust;
        this.config = config;
        this.limits = LifeLimits.of(config);
    }

    @Override
    public Domain domain() {
        return domain;
    }

    synchronized SendResult put(Envelope envelope) {
        EnvelopeId id = envelope.id();
        Copy known = copies.get(id);
        Resend again = known == null ? new Resend.Anew() : sentAgain(known, envelope);
        return switch (again) {
            case Resend.Anew _ -> {
                store(new Copy(envelope, Life.begun(envelope.fingerprint(), clock.instant())));
                yield new SendResult.Delivered(location(id));
            }
            case Resend.Duplicate _ -> new SendResult.Duplicate(location(id));
            case Resend.Conflict(var reason) -> new SendResult.Conflict(location(id), reason);
        };
    }

    private static Resend sentAgain(Copy known, Envelope envelope) {
        boolean isSame = known.life().mail().equals(envelope.fingerprint());
        return known.life().sentAgain(isSame ? Likeness.SAME : Likeness.OTHER, envelope.id());
    }

    /// All that ever arrived, but for what was sent anew.
    synchronized List<Envelope> stored() {
        return copies.values().stream().map(Copy::envelope).toList();
    }

    synchronized Optional<Life> life(EnvelopeId id) {
        return Optional.ofNullable(copies.get(id)).map(Copy::life);
    }

    private String location(EnvelopeId id) {
        return domain + "/" + id;
    }

    private Copy copy(EnvelopeId id) {
        return Objects.requireNonNull(copies.get(id));
    }

    private void store(Copy copy) {
        EnvelopeId id = copy.envelope().id();
        copies.put(id, copy);
        line.remove(id);
        if (copy.life().state() == State.WAITING) {
            line.put(id, copy.urgency(config.halfLife()), clock.instant());
            arrivals++;
            notifyAll();
        }
    }

    private void store(Copy before, Life after) {
        store(new Copy(before.envelope(), after));
    }

    @Override
    public synchronized List<Waiting> waiting() {
        List<Waiting> waiting = new ArrayList<>();
        for (EnvelopeId id : line.inOrder(clock.instant(), Urgency.Turn.NORMAL)) {
            Copy copy = copy(id);
            waiting.add(
                    new Waiting.Mail(
                            Header.of(copy.envelope()),
                            copy.urgency(config.halfLife()),
                            copy.life().attempt(),
                            location(id)));
        }
        return waiting;
    }

    @Override
    public synchronized Selection select(Actor worker, Lease lease) {
        Instant now = clock.instant();
        heeded = arrivals;
        for (Copy copy : List.copyOf(copies.values())) {
            if (copy.life().look(Term.of(copy.envelope()), now, limits)
                    instanceof Look.Due(var step)) {
                store(copy, step.life());
            }
        }
        while (true) {
            Urgency.Turn turn = Urgency.Turn.of(picks + 1, config.dueTurn());
            Optional<EnvelopeId> picked = line.pick(now, turn);
            if (picked.isEmpty()) {
                return new Selection.Nothing();
            }
            picks++;
            Copy copy = copy(picked.get());
            String rationale = copy.urgency(config.halfLife()).rationale(turn, line.size(), now);
            SignatureCheck signature = trust.check(copy.envelope(), now, config.signatures());
            List<Acceptance.Objection> objections =
                    Acceptance.objections(
                            copy.envelope(), copy.life().firstSeen(), signature, domain, config);
            if (objections.isEmpty()) {
                return new Selection.Taken(claim(copy, worker, lease, signature, rationale, now));
            }
            store(copy, copy.life().refused(objections.getFirst()).life());
        }
    }

    private Claim claim(
            Copy copy,
            Actor worker,
            Lease lease,
            SignatureCheck signature,
            String rationale,
            Instant now) {
        EnvelopeId id = copy.envelope().id();
        ClaimToken token =
                new ClaimToken(
                        id, copy.life().attempt(), worker, now, lease.duration(), "m" + picks);
        Life claimed = copy.life().claimed(token, lease).life();
        store(copy, claimed);
        return new Claim(
                token.toString(),
                copy.envelope(),
                domain,
                worker,
                token.attempt(),
                token.claimedAt(),
                Objects.requireNonNull(claimed.holder()).leaseEndsAt(),
                signature,
                rationale,
                location(id));
    }

    @Override
    public synchronized void await(Duration timeout) throws InterruptedException {
        long end = System.nanoTime() + timeout.toNanos();
        for (long left = end - System.nanoTime();
                left > 0 && heeded == arrivals;
                left = end - System.nanoTime()) {
            wait(left / 1_000_000, (int) (left % 1_000_000));
        }
    }

    @Override
    public synchronized Settlement renew(String claim) {
        return answer(claim, copy -> copy.life().renewed(claim, clock.instant()));
    }

    @Override
    public synchronized Settlement settle(String claim, Outcome outcome) {
        return answer(
                claim,
                copy ->
                        copy.life()
                                .settled(
                                        claim,
                                        outcome,
                                        Term.of(copy.envelope()),
                                        clock.instant(),
                                        limits));
    }

    private Settlement answer(String claim, Function<Copy, Answer> step) {
        Copy copy = ClaimToken.idOf(claim).map(copies::get).orElse(null);
        Answer answer = copy == null ? Life.lost(claim) : step.apply(copy);
        return switch (answer) {
            case Answer.Taken(var taken) when copy != null -> {
                store(copy, taken.life());
                yield taken.life().state() == State.ACTIVE
                        ? new Settlement.Renewed(
                                Objects.requireNonNull(taken.life().holder()).leaseEndsAt())
                        : new Settlement.Settled(taken.life().state(), Confirmation.UNKNOWN);
            }
            case Answer.Taken _ -> throw new IllegalStateException("a step without a copy");
            case Answer.ToldBefore(var state) ->
                    new Settlement.Settled(state, Confirmation.UNKNOWN);
            case Answer.Lost(var reason) -> new Settlement.Lost(reason);
        };
    }
}
