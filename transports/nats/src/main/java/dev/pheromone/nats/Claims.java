package dev.pheromone.nats;

import dev.pheromone.Claim;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Settlement;
import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.MalformedEnvelopeException;
import dev.pheromone.life.Answer;
import dev.pheromone.life.ClaimToken;
import dev.pheromone.life.Life;
import dev.pheromone.life.LifeLimits;
import dev.pheromone.life.Term;
import dev.pheromone.nats.Inspection.Candidate;
import dev.pheromone.nats.MailRecords.Versioned;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/// The claims of one inbox: made, renewed and ended by changing the record, which only one can do;
/// the server is told afterwards, and finds out by itself if that is lost.
final class Claims {

    /// How often a change is tried while others change the same record.
    private static final int CONTENTION_MAX = 8;

    /// Claims of this process whose record need not be read before it is changed.
    private static final int REMEMBERED_MAX = 10_000;

    private static final int RANDOM_BYTES = 8;

    private final NatsOptions options;
    private final InstantSource clock;
    private final Domain domain;
    private final MailRecords records;
    private final MailStream stream;
    private final HandedCopies copies;
    private final Inspection inspection;
    private final SecureRandom random = new SecureRandom();
    private final Map<String, Versioned> remembered = new LinkedHashMap<>();

    Claims(
            NatsOptions options,
            InstantSource clock,
            Domain domain,
            MailRecords records,
            MailStream stream,
            HandedCopies copies,
            Inspection inspection) {
        this.options = options;
        this.clock = clock;
        this.domain = domain;
        this.records = records;
        this.stream = stream;
        this.copies = copies;
        this.inspection = inspection;
    }

    /// Claims `candidate`, unless somebody changed its record meanwhile.
    Optional<Claim> claim(Candidate candidate, Actor worker, Lease lease, String rationale)
            throws IOException {
        Instant now = clock.instant();
        EnvelopeId id = candidate.envelope().id();
        Life life = candidate.record().life();
        byte[] unguessable = new byte[RANDOM_BYTES];
        random.nextBytes(unguessable);
        ClaimToken token =
                new ClaimToken(
                        id,
                        life.attempt(),
                        worker,
                        now,
                        lease.duration(),
                        HexFormat.of().formatHex(unguessable));
        Life held = life.claimed(token, lease).life();
        MailRecord claimed =
                new MailRecord(held, candidate.copy().sequence(), candidate.copy().ackSubject());
        boolean isUnrecorded = candidate.revision() == MailRecords.UNWRITTEN;
        OptionalLong revision;
        try (Exchange exchange = records.exchange()) {
            Exchange.Later<Optional<ContentHash>> mark =
                    isUnrecorded ? records.lastKnownMark(exchange, domain, id) : Optional::empty;
            revision = records.replace(domain, id, claimed, candidate.revision());
            if (revision.isEmpty()) {
                revision = revisionIfWritten(id, claimed);
            }
            if (revision.isEmpty()) {
                return Optional.empty();
            }
            if (isUnrecorded && !isOwner(candidate, mark.get())) {
                records.forget(domain, id, revision.getAsLong());
                return Optional.empty();
            }
        }
        remember(token.toString(), new Versioned(claimed, revision.getAsLong()));
        return Optional.of(
                new Claim(
                        token.toString(),
                        candidate.envelope(),
                        domain,
                        worker,
                        token.attempt(),
                        token.claimedAt(),
                        leaseEndsAt(held),
                        candidate.signature(),
                        rationale,
                        domain + "/" + id));
    }

    /// Only the leader can tell that it is another's.
    private boolean isOwner(Candidate candidate, Optional<ContentHash> lastKnown)
            throws IOException {
        return lastKnown.equals(Optional.of(candidate.envelope().fingerprint()))
                || inspection.isOwner(candidate.copy(), candidate.envelope());
    }

    /// The revision of a change that was refused, if we had made it: the first answer may have been
    /// lost.
    private OptionalLong revisionIfWritten(EnvelopeId id, MailRecord written) throws IOException {
        Optional<Versioned> known = records.find(domain, id);
        return known.isPresent() && known.get().record().equals(written)
                ? OptionalLong.of(known.get().revision())
                : OptionalLong.empty();
    }

    Settlement renew(String token) throws IOException {
        Instant now = clock.instant();
        return switch (change(token, record -> record.life().renewed(token, now))) {
            case Changed.To(var record) -> {
                copies.atWork(record.ackSubject());
                yield new Settlement.Renewed(leaseEndsAt(record.life()));
            }
            case Changed.Not(var answer) -> unchanged(answer);
        };
    }

    private static Instant leaseEndsAt(Life life) {
        return Objects.requireNonNull(life.holder()).leaseEndsAt();
    }

    Settlement settle(String token, Outcome outcome) throws IOException {
        Instant now = clock.instant();
        LifeLimits limits = LifeLimits.of(options.config());
        Changed changed =
                change(
                        token,
                        record ->
                                record.life()
                                        .settled(
                                                token,
                                                outcome,
                                                term(record, outcome),
                                                now,
                                                limits));
        return switch (changed) {
            case Changed.To(var record) -> {
                forget(token);
                tellServer(token, record, now);
                yield settled(record.life().state());
            }
            case Changed.Not(var answer) -> unchanged(answer);
        };
    }

    /// For how long the copy was to live; what is done does not expire.
    private Term term(MailRecord record, Outcome outcome) throws IOException {
        if (outcome instanceof Outcome.Done) {
            return Term.ENDLESS;
        }
        Optional<byte[]> bytes = stream.at(record.sequence());
        try {
            return bytes.isEmpty() ? Term.ENDLESS : Term.of(Envelope.parse(bytes.get()));
        } catch (MalformedEnvelopeException e) {
            return Term.ENDLESS;
        }
    }

    private static Settlement unchanged(Answer answer) {
        return switch (answer) {
            case Answer.ToldBefore(var state) -> settled(state);
            case Answer.Lost(var reason) -> new Settlement.Lost(reason);
            case Answer.Taken taken -> throw new IllegalStateException("not stored: " + taken);
        };
    }

    /// When a server forces what it confirmed to its disk is its own affair.
    private static Settlement settled(State state) {
        return new Settlement.Settled(state, Settlement.Confirmation.UNKNOWN);
    }

    private void tellServer(String token, MailRecord settled, Instant now) throws IOException {
        String ackSubject = settled.ackSubject();
        Instant notBefore = settled.life().notBefore();
        switch (settled.life().state()) {
            case DONE -> copies.done(ackSubject);
            case WAITING -> {
                if (notBefore == null) {
                    copies.giveBack(ackSubject);
                    copies.cameBack();
                } else {
                    Duration pause = Duration.between(now, notBefore);
                    copies.later(ackSubject, inspection.atMost(pause));
                }
            }
            default -> {
                Optional<byte[]> bytes = stream.at(settled.sequence());
                EnvelopeId id = ClaimToken.idOf(token).orElseThrow();
                if (bytes.isPresent()) {
                    inspection.keep(id, settled.sequence(), settled.life(), bytes.get());
                }
                copies.neverAgain(ackSubject);
            }
        }
    }

    /// What came of a step: the record as it is now, or why there is no other.
    private sealed interface Changed {
        record To(MailRecord record) implements Changed {}

        record Not(Answer answer) implements Changed {}
    }

    /// A step in the life of a claimed copy.
    private interface Change {
        Answer apply(MailRecord record) throws IOException;
    }

    /// Takes a step, unless the claim is not in force.
    private Changed change(String token, Change step) throws IOException {
        Optional<EnvelopeId> id = ClaimToken.idOf(token);
        if (id.isEmpty()) {
            return new Changed.Not(Life.lost(token));
        }
        @Nullable Versioned known = remembered(token);
        if (known == null) {
            known = records.find(domain, id.get()).orElse(null);
        }
        @Nullable MailRecord written = null;
        for (int i = 0; i < CONTENTION_MAX && known != null; i++) {
            MailRecord record = known.record();
            if (record.equals(written)) {
                return new Changed.To(record);
            }
            Answer answer = step.apply(record);
            if (!(answer instanceof Answer.Taken(var taken))) {
                return new Changed.Not(answer);
            }
            written = record.with(taken.life());
            OptionalLong revision = records.replace(domain, id.get(), written, known.revision());
            if (revision.isPresent()) {
                remember(token, new Versioned(written, revision.getAsLong()));
                return new Changed.To(written);
            }
            known = records.find(domain, id.get()).orElse(null);
        }
        return new Changed.Not(Life.lost(token));
    }

    private @Nullable Versioned remembered(String token) {
        synchronized (remembered) {
            return remembered.get(token);
        }
    }

    private void remember(String token, Versioned known) {
        synchronized (remembered) {
            remembered.put(token, known);
            if (remembered.size() > REMEMBERED_MAX) {
                remembered.remove(remembered.keySet().iterator().next());
            }
        }
    }

    private void forget(String token) {
        synchronized (remembered) {
            remembered.remove(token);
        }
    }
}
