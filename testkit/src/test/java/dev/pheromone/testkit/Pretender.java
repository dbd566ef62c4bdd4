package dev.pheromone.testkit;

import dev.pheromone.Capability;
import dev.pheromone.Claim;
import dev.pheromone.HiveConfig;
import dev.pheromone.Inbox;
import dev.pheromone.Lag;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Receipt;
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
import dev.pheromone.selection.Waiting;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/// The contract's view of a hive in memory that lacks one promise, whatever it declares.
final class Pretender implements TransportContract {

    private final FakeClock clock = new FakeClock(Instant.parse("2025-10-15T17:10:00Z"));
    private final Capability lacking;
    private final Set<Capability> declared;
    private final Lag lag;
    private final Duration hidden;
    private final MemoryTransport memory;
    private final Transport transport = new Lacking();
    private final Loss loss;

    /// When somebody first looked for the mail that was sent last; empty if nobody has.
    private OptionalLong lookedAt = OptionalLong.empty();

    /// What a power cut takes of confirmed mail.
    enum Loss {
        NOTHING,
        WAITING_COPIES,
        DONE_COPIES,
        /// Copies that were done wait again.
        OUTCOMES,
        EVERYTHING;

        private boolean takes(State state) {
            return switch (this) {
                case NOTHING, OUTCOMES -> false;
                case WAITING_COPIES -> state == State.WAITING;
                case DONE_COPIES -> state == State.DONE;
                case EVERYTHING -> true;
            };
        }
    }

    /// A hive that declares these promises, and does not keep `lacking`.
    Pretender(Capability lacking, Set<Capability> declared) {
        this(lacking, declared, Duration.ZERO, Lag.NONE, Loss.EVERYTHING);
    }

    private Pretender(
            Capability lacking, Set<Capability> declared, Duration hidden, Lag lag, Loss loss) {
        this.lacking = lacking;
        this.declared = Set.copyOf(declared);
        this.hidden = hidden;
        this.lag = lag;
        this.loss = loss;
        this.memory =
                new MemoryTransport(
                        clock,
                        TRUST,
                        lacking == Capability.SHARED_TURNS ? neverDue() : HiveConfig.defaults(),
                        CODE,
                        DOCS);
    }

    /// A hive that hides each mail for so long after the first look, and declares this lag.
    static Pretender slow(Duration hidden, Lag lag) {
        return new Pretender(
                Capability.THROTTLES,
                Set.of(Capability.SHARED_TURNS),
                hidden,
                lag,
                Loss.EVERYTHING);
    }

    /// A hive that declares that it survives a power cut, and says that what it settled is on a
    /// disk.
    static Pretender forgetful(Loss loss) {
        return new Pretender(
                Capability.SURVIVES_POWER_CUT,
                EnumSet.of(Capability.SURVIVES_POWER_CUT, Capability.SHARED_TURNS),
                Duration.ZERO,
                Lag.NONE,
                loss);
    }

    /// As a reader has it that counts for itself, and picks once.
    private static HiveConfig neverDue() {
        HiveConfig usual = HiveConfig.defaults();
        return new HiveConfig(
                usual.domains(),
                usual.lanes(),
                usual.signatures(),
                usual.archive(),
                usual.ttl(),
                usual.halfLife(),
                1_000,
                usual.backpressure(),
                usual.sender(),
                usual.lease(),
                usual.attempts(),
                usual.scopes(),
                usual.transports(),
                usual.notifying(),
                usual.separate());
    }

    @Override
    public Transport transport() {
        return transport;
    }

    @Override
    public Transport reopened() {
        return transport;
    }

    @Override
    public FakeClock clock() {
        return clock;
    }

    @Override
    public String kept(EnvelopeId id) {
        return memory.life(id, CODE).orElseThrow().toString();
    }

    @Override
    public void lockHive() {}

    @Override
    public List<String> log() {
        return List.of();
    }

    @Override
    public Transport afterPowerCut() throws IOException {
        MemoryTransport after = new MemoryTransport(clock, TRUST, CODE, DOCS);
        try {
            for (Envelope done : left(State.DONE)) {
                SendResult _ = after.put(done, CODE);
                if (loss != Loss.OUTCOMES) {
                    Claim claim = assertTaken(after.inbox(CODE).select(WORKER, LEASE));
                    assertSettled(
                            after.inbox(CODE).settle(claim.token(), new Outcome.Done("")),
                            State.DONE);
                }
            }
            for (Envelope waiting : left(State.WAITING)) {
                SendResult _ = after.put(waiting, CODE);
            }
        } catch (NoSuchInboxException e) {
            throw new IOException(e);
        }
        return after;
    }

    /// The mail of `CODE` in this state that the power cut leaves.
    private List<Envelope> left(State state) throws NoSuchInboxException {
        return memory.stored(CODE).stream()
                .filter(envelope -> memory.stateOf(envelope.id(), CODE).equals(Optional.of(state)))
                .filter(_ -> !loss.takes(state))
                .toList();
    }

    private final class Lacking implements Transport {

        @Override
        public Set<Capability> capabilities() {
            return declared;
        }

        @Override
        public Lag lag() {
            return lag;
        }

        @Override
        public Reach reach() {
            return memory.reach();
        }

        @Override
        public Receipt send(Envelope envelope) throws NoSuchInboxException {
            lookedAt = OptionalLong.empty();
            return memory.send(envelope);
        }

        @Override
        public List<Domain> domains() {
            return memory.domains();
        }

        @Override
        public Optional<State> stateOf(EnvelopeId id, Domain inbox) {
            return memory.stateOf(id, inbox);
        }

        @Override
        public Inbox inbox(Domain domain) throws NoSuchInboxException {
            return new LackingInbox(memory.inbox(domain));
        }

        @Override
        public void close() {}
    }

    private final class LackingInbox implements Inbox {

        private final Inbox inbox;

        LackingInbox(Inbox inbox) {
            this.inbox = inbox;
        }

        @Override
        public Domain domain() {
            return inbox.domain();
        }

        @Override
        public List<Waiting> waiting() throws IOException {
            return inbox.waiting();
        }

        @Override
        public Selection select(Actor worker, Lease lease) throws IOException {
            long now = System.nanoTime();
            lookedAt = OptionalLong.of(lookedAt.orElse(now));
            if (now - lookedAt.getAsLong() < hidden.toNanos()) {
                return new Selection.Nothing();
            }
            return lacking == Capability.EFFECTIVE_ORDER
                    ? selectAsSent(worker, lease)
                    : inbox.select(worker, lease);
        }

        /// Takes all that is ready, keeps the oldest of the most urgent class as sent, and gives
        /// the others back.
        private Selection selectAsSent(Actor worker, Lease lease) throws IOException {
            List<Claim> ready = new ArrayList<>();
            while (inbox.select(worker, lease) instanceof Selection.Taken(var claim)) {
                ready.add(claim);
            }
            ready.sort(
                    Comparator.comparing((Claim claim) -> claim.envelope().priority())
                            .thenComparing(claim -> claim.envelope().ts()));
            for (Claim other : ready.subList(Math.min(1, ready.size()), ready.size())) {
                Settlement _ = inbox.settle(other.token(), new Outcome.Released(""));
            }
            return ready.isEmpty()
                    ? new Selection.Nothing()
                    : new Selection.Taken(ready.getFirst());
        }

        @Override
        public void await(Duration timeout) throws IOException, InterruptedException {
            inbox.await(timeout);
        }

        @Override
        public Settlement renew(String claim) throws IOException {
            return inbox.renew(claim);
        }

        @Override
        public Settlement settle(String claim, Outcome outcome) throws IOException {
            Settlement settlement =
                    inbox.settle(
                            claim,
                            lacking == Capability.PAUSES_RELEASED
                                            && outcome instanceof Outcome.Released
                                    ? new Outcome.Released(outcome.note())
                                    : outcome);
            return settlement instanceof Settlement.Settled(var state, var _)
                            && declared.contains(Capability.SURVIVES_POWER_CUT)
                    ? new Settlement.Settled(state, Confirmation.ON_DISK)
                    : settlement;
        }
    }
}
