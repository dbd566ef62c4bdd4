package dev.pheromone.testkit;

import dev.pheromone.Actor;
import dev.pheromone.Claim;
import dev.pheromone.Domain;
import dev.pheromone.Envelope;
import dev.pheromone.EnvelopeId;
import dev.pheromone.HalfLife;
import dev.pheromone.Header;
import dev.pheromone.HiveConfig;
import dev.pheromone.Inbox;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Selection;
import dev.pheromone.SendResult;
import dev.pheromone.Settlement;
import dev.pheromone.SignatureCheck;
import dev.pheromone.State;
import dev.pheromone.TrustList;
import dev.pheromone.Urgency;
import dev.pheromone.Waiting;
import dev.pheromone.WaitingLine;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// An inbox of a [MemoryTransport].
final class MemoryInbox implements Inbox {

    private static final Duration PAUSE_BASE = Duration.ofSeconds(5);
    private static final Duration PAUSE_MAX = Duration.ofMinutes(10);

    /// One envelope and what became of it.
    private static final class Item {
        final Envelope envelope;
        final Instant firstSeen;
        State state = State.WAITING;
        int attempts;
        @Nullable Instant notBefore;
        String token = "";
        Instant leaseEndsAt = Instant.MAX;
        Duration lease = Duration.ZERO;

        /// The claim that ended last, how its holder ended it, and what came of that.
        String endedToken = "";

        @Nullable Outcome ended;
        State endedAs = State.WAITING;

        Item(Envelope envelope, Instant firstSeen) {
            this.envelope = envelope;
            this.firstSeen = firstSeen;
        }

        Urgency urgency(HalfLife halfLife) {
            Duration ttl = envelope.ttl().duration();
            return new Urgency(
                    envelope.id(),
                    envelope.priority(),
                    envelope.ts(),
                    firstSeen,
                    ttl,
                    halfLife.of(ttl),
                    attempts,
                    notBefore);
        }
    }

    private final Domain domain;
    private final InstantSource clock;
    private final TrustList trust;
    private final HiveConfig config;
    private final Map<EnvelopeId, Item> items = new HashMap<>();
    private final WaitingLine<EnvelopeId> line = new WaitingLine<>();
    private long picks;
    private long arrivals;
    private long heeded;

    MemoryInbox(Domain domain, InstantSource clock, TrustList trust, HiveConfig config) {
        this.domain = domain;
        this.clock = clock;
        this.trust = trust;
        this.config = config;
    }

    @Override
    public Domain domain() {
        return domain;
    }

    synchronized SendResult put(Envelope envelope) {
        Item known = items.get(envelope.id());
        if (known != null) {
            return known.envelope.isSameMailAs(envelope)
                    ? new SendResult.Duplicate(location(envelope.id()))
                    : new SendResult.Conflict(
                            location(envelope.id()), "another envelope has this id");
        }
        Item item = new Item(envelope, clock.instant());
        items.put(envelope.id(), item);
        lineUp(item);
        return new SendResult.Delivered(location(envelope.id()));
    }

    /// All that ever arrived.
    synchronized List<Envelope> stored() {
        return items.values().stream().map(item -> item.envelope).toList();
    }

    synchronized Optional<State> stateOf(EnvelopeId id) {
        return Optional.ofNullable(items.get(id)).map(item -> item.state);
    }

    private String location(EnvelopeId id) {
        return domain + "/" + id;
    }

    private Item item(EnvelopeId id) {
        return Objects.requireNonNull(items.get(id));
    }

    private void lineUp(Item item) {
        item.state = State.WAITING;
        item.token = "";
        line.put(item.envelope.id(), item.urgency(config.halfLife()), clock.instant());
        arrivals++;
        notifyAll();
    }

    @Override
    public synchronized List<Waiting> waiting() {
        List<Waiting> waiting = new ArrayList<>();
        for (EnvelopeId id : line.inOrder(clock.instant(), Urgency.Turn.NORMAL)) {
            Item item = item(id);
            waiting.add(
                    new Waiting.Mail(
                            Header.of(item.envelope),
                            item.urgency(config.halfLife()),
                            item.attempts + 1,
                            location(id)));
        }
        return waiting;
    }

    @Override
    public synchronized Selection select(Actor worker, Lease lease) {
        Instant now = clock.instant();
        heeded = arrivals;
        for (Item item : items.values()) {
            if (item.state == State.ACTIVE && !now.isBefore(item.leaseEndsAt)) {
                fail(item, now);
            }
        }
        for (Optional<EnvelopeId> id = line.firstExpired(now);
                id.isPresent();
                id = line.firstExpired(now)) {
            line.remove(id.get());
            item(id.get()).state = State.EXPIRED;
        }
        Urgency.Turn turn = Urgency.Turn.of(picks + 1, config.dueTurn());
        Optional<EnvelopeId> picked = line.pick(now, turn);
        if (picked.isEmpty()) {
            return new Selection.Nothing();
        }
        picks++;
        Item item = item(picked.get());
        String rationale = item.urgency(config.halfLife()).rationale(turn, line.size(), now);
        line.remove(picked.get());
        SignatureCheck signature = trust.check(item.envelope, now, config.signatures());
        if (signature instanceof SignatureCheck.Bad) {
            item.state = State.DEAD;
            return select(worker, lease);
        }
        item.state = State.ACTIVE;
        item.attempts++;
        item.token = item.envelope.id() + "." + item.attempts + "." + worker + "." + picks;
        item.lease = lease.duration();
        item.leaseEndsAt = now.plus(lease.duration());
        return new Selection.Taken(
                new Claim(
                        item.token,
                        item.envelope,
                        domain,
                        worker,
                        item.attempts,
                        now,
                        item.leaseEndsAt,
                        signature,
                        rationale,
                        location(item.envelope.id())));
    }

    private void fail(Item item, Instant now) {
        if (item.attempts >= config.attempts()) {
            item.state = State.DEAD;
            return;
        }
        Duration pause = PAUSE_BASE.multipliedBy(1L << item.attempts);
        item.notBefore = now.plus(pause.compareTo(PAUSE_MAX) > 0 ? PAUSE_MAX : pause);
        lineUp(item);
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

    private @Nullable Item claimed(String token) {
        for (Item item : items.values()) {
            if (item.token.equals(token)) {
                return item;
            }
        }
        return null;
    }

    private static Settlement lost(String token) {
        return new Settlement.Lost("claim " + token + " is not in force any more");
    }

    @Override
    public synchronized Settlement renew(String claim) {
        Item item = claimed(claim);
        if (item == null || item.state != State.ACTIVE) {
            return lost(claim);
        }
        item.leaseEndsAt = clock.instant().plus(item.lease);
        return new Settlement.Renewed(item.leaseEndsAt);
    }

    @Override
    public synchronized Settlement settle(String claim, Outcome outcome) {
        Item item = claimed(claim);
        if (item == null || item.state != State.ACTIVE) {
            return toldBefore(claim, outcome);
        }
        item.endedToken = claim;
        item.ended = outcome;
        switch (outcome) {
            case Outcome.Done _ -> item.state = State.DONE;
            case Outcome.Failed _ -> fail(item, clock.instant());
            case Outcome.Released(var _, var pause) -> {
                item.attempts--;
                item.notBefore = pause.isZero() ? null : clock.instant().plus(pause);
                lineUp(item);
            }
        }
        item.endedAs = item.state;
        return new Settlement.Settled(item.state, Settlement.Confirmation.ON_DISK);
    }

    /// The same answer again, if whoever held the claim ended it in this way.
    private Settlement toldBefore(String token, Outcome outcome) {
        for (Item item : items.values()) {
            if (item.endedToken.equals(token)
                    && item.ended != null
                    && item.ended.getClass() == outcome.getClass()) {
                return new Settlement.Settled(item.endedAs, Settlement.Confirmation.ON_DISK);
            }
        }
        return lost(token);
    }
}
