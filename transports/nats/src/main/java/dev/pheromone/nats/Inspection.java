package dev.pheromone.nats;

import dev.pheromone.State;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.MalformedEnvelopeException;
import dev.pheromone.life.Acceptance;
import dev.pheromone.life.Life;
import dev.pheromone.life.Life.Holder;
import dev.pheromone.life.LifeLimits;
import dev.pheromone.life.Look;
import dev.pheromone.life.Term;
import dev.pheromone.life.Why;
import dev.pheromone.nats.MailRecords.Versioned;
import dev.pheromone.nats.Ownership.Verdict;
import dev.pheromone.selection.Urgency;
import dev.pheromone.trust.SignatureCheck;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/// Decides what becomes of a copy that was handed to us: it may be claimed now, later, or never.
final class Inspection {

    /// A copy that may be claimed now.
    record Candidate(
            HandedCopy copy,
            Envelope envelope,
            SignatureCheck signature,
            MailRecord record,
            long revision,
            Urgency urgency) {}

    private final NatsOptions options;
    private final Domain domain;
    private final MailRecords records;
    private final MailStream stream;
    private final Ownership ownership;
    private final HandedCopies copies;

    Inspection(
            NatsOptions options,
            Domain domain,
            MailRecords records,
            MailStream stream,
            Ownership ownership,
            HandedCopies copies) {
        this.options = options;
        this.domain = domain;
        this.records = records;
        this.stream = stream;
        this.ownership = ownership;
        this.copies = copies;
    }

    /// The candidate that `copy` is; or empty, and the server was told what to do with it.
    Optional<Candidate> look(HandedCopy copy, Instant now) throws IOException {
        Envelope envelope;
        try {
            envelope = Envelope.parse(copy.bytes());
        } catch (MalformedEnvelopeException e) {
            keepUnclaimed(copy, State.DEAD, Why.UNREADABLE.text(e.getMessage()));
            copies.neverAgain(copy.ackSubject());
            return Optional.empty();
        }
        SignatureCheck signature =
                options.trust().check(envelope, now, options.config().signatures());
        Versioned known = recorded(copy, envelope);
        Optional<Acceptance.Objection> objection =
                objection(copy, envelope, signature, known.record().life())
                        .filter(Acceptance.Objection::isAboutIdentity);
        if (objection.isPresent()) {
            // It is not what its fingerprint says, so that no record is about it.
            keepUnclaimed(copy, State.DEAD, objection.get().text());
            if (envelope.hashMatches()) {
                freeUnrecorded(copy.id(), envelope.fingerprint());
            }
            copies.neverAgain(copy.ackSubject());
            return Optional.empty();
        }
        return look(copy, envelope, signature, known, now);
    }

    private Optional<Acceptance.Objection> objection(
            HandedCopy copy, Envelope envelope, SignatureCheck signature, Life life) {
        return Acceptance.objections(
                        copy.id(), envelope, life.firstSeen(), signature, domain, options.config())
                .stream()
                .findFirst();
    }

    /// Never delivered, and its id stays free: bad mail takes no id away from the one who owns it.
    private Optional<Candidate> refuse(
            HandedCopy copy,
            Envelope envelope,
            SignatureCheck signature,
            Versioned known,
            Acceptance.Objection objection,
            Instant now)
            throws IOException {
        Life refused = known.record().life().refused(objection).life();
        if (known.revision() != MailRecords.UNWRITTEN) {
            MailRecord dead = known.record().with(refused).at(copy.sequence());
            return change(copy, envelope, signature, known, dead, now);
        }
        keepUnclaimed(copy, refused.state(), refused.note());
        freeUnrecorded(copy.id(), refused.mail());
        copies.neverAgain(copy.ackSubject());
        return Optional.empty();
    }

    /// Whether a record is about this very copy.
    private static boolean isOf(MailRecord record, HandedCopy copy) {
        return record.sequence() == 0 || record.sequence() == copy.sequence();
    }

    /// Takes the mark of an id away from refused mail, unless anything is recorded under the id:
    /// then another copy of the same mail is at work or has ended, and the id is that copy's.
    private void freeUnrecorded(EnvelopeId id, ContentHash refused) throws IOException {
        Optional<MailRecords.Mark> mark = records.known(domain, id);
        if (mark.isPresent()
                && mark.get().mail().equals(refused)
                && records.find(domain, id).isEmpty()) {
            records.unmark(domain, id, mark.get());
        }
    }

    /// Removes a copy that has no right to its id. A copy that is gone was taken back by its
    /// sender, or removed by another reader who has seen to it.
    private Optional<Candidate> conflict(
            HandedCopy copy, Envelope envelope, SignatureCheck signature, Instant now)
            throws IOException {
        if (stream.isThere(domain, copy.id(), copy.sequence())) {
            stream.condemn(domain, copy.id(), copy.sequence(), copy.bytes());
            if (isOwner(copy, envelope)) {
                stream.pardon(domain, copy.id(), copy.sequence());
                return lookAtUnrecorded(copy, envelope, signature, now);
            }
        }
        copies.neverAgain(copy.ackSubject());
        return Optional.empty();
    }

    private void keepUnclaimed(HandedCopy copy, State state, String reason) throws IOException {
        String name = MailStream.unclaimedName(copy.id(), copy.sequence());
        boolean _ = stream.archive(domain, state, name, copy.bytes(), reason);
    }

    /// What is on record. Nothing is of mail that nobody was handed before.
    private Versioned recorded(HandedCopy copy, Envelope envelope) throws IOException {
        Optional<Versioned> found =
                copy.isFirst() ? Optional.empty() : records.find(domain, copy.id());
        return found.orElseGet(() -> unrecorded(copy, envelope));
    }

    private static Versioned unrecorded(HandedCopy copy, Envelope envelope) {
        return new Versioned(
                MailRecord.fresh(envelope.fingerprint(), copy.firstSeen()), MailRecords.UNWRITTEN);
    }

    /// The same copy once more, after its record or the owner of its id turned out to be another
    /// than was thought.
    Optional<Candidate> lookAgain(Candidate candidate, Instant now) throws IOException {
        return lookAtUnrecorded(candidate.copy(), candidate.envelope(), candidate.signature(), now);
    }

    /// Whether the id of this copy is its own, or becomes so because it was free.
    boolean isOwner(HandedCopy copy, Envelope envelope) throws IOException {
        return ownership.ofHandedOut(domain, envelope, copy.sequence()) instanceof Verdict.Ours;
    }

    /// Looks at a copy of which it is not known that the record is about it.
    private Optional<Candidate> lookAtUnrecorded(
            HandedCopy copy, Envelope envelope, SignatureCheck signature, Instant now)
            throws IOException {
        if (!(ownership.ofHandedOut(domain, envelope, copy.sequence())
                instanceof Verdict.Ours(var found))) {
            return conflict(copy, envelope, signature, now);
        }
        if (found.isEmpty()) {
            return look(copy, envelope, signature, unrecorded(copy, envelope), now);
        }
        Versioned known = found.get();
        MailRecord record = known.record();
        Holder holder = record.life().holder();
        if (!record.isOf(envelope.fingerprint())) {
            // Another's was claimed under this id, for a moment or by somebody who died then.
            return record.life().state() == State.ACTIVE
                            && holder != null
                            && now.isBefore(holder.leaseEndsAt())
                    ? holdBack(copy, Duration.between(now, holder.leaseEndsAt()))
                    : look(copy, envelope, signature, anew(copy, envelope, known), now);
        }
        if (isOf(record, copy)) {
            return look(copy, envelope, signature, known, now);
        }
        if (record.leavesFree(copy.id())) {
            return look(copy, envelope, signature, anew(copy, envelope, known), now);
        }
        if (!record.life().state().isFinal()
                && !stream.isThere(domain, copy.id(), record.sequence())) {
            // The copy on record was taken back by a sender who stored this one in its place.
            MailRecord here = record.at(copy.sequence());
            return change(copy, envelope, signature, known, here, now);
        }
        copies.done(copy.ackSubject());
        return Optional.empty();
    }

    private Optional<Candidate> look(
            HandedCopy copy,
            Envelope envelope,
            SignatureCheck signature,
            Versioned known,
            Instant now)
            throws IOException {
        MailRecord record = known.record();
        Life life = record.life();
        Holder holder = life.holder();
        if (!record.isOf(envelope.fingerprint()) || !isOf(record, copy)) {
            return lookAtUnrecorded(copy, envelope, signature, now);
        }
        // Who claimed it may have died before it saw whose id this is.
        if (life.state() == State.ACTIVE
                && holder != null
                && !now.isBefore(holder.leaseEndsAt())
                && !isOwner(copy, envelope)) {
            records.forget(domain, copy.id(), known.revision());
            return conflict(copy, envelope, signature, now);
        }
        return switch (life.look(Term.of(envelope), now, LifeLimits.of(options.config()))) {
            case Look.Over _ -> {
                keep(copy.id(), copy.sequence(), life, copy.bytes());
                copies.done(copy.ackSubject());
                yield Optional.empty();
            }
            case Look.Held(var until) -> holdBack(copy, Duration.between(now, until));
            case Look.Due(var step) -> {
                // A life ends under its own mark only, which is older than the record of the end.
                if (known.revision() == MailRecords.UNWRITTEN && !isOwner(copy, envelope)) {
                    yield conflict(copy, envelope, signature, now);
                }
                MailRecord next = record.with(step.life()).at(copy.sequence());
                yield change(copy, envelope, signature, known, next, now);
            }
            case Look.Ready _ -> {
                Optional<Acceptance.Objection> objection =
                        objection(copy, envelope, signature, life);
                yield objection.isPresent()
                        ? refuse(copy, envelope, signature, known, objection.get(), now)
                        : Optional.of(
                                new Candidate(
                                        copy,
                                        envelope,
                                        signature,
                                        record,
                                        known.revision(),
                                        urgency(envelope, life)));
            }
        };
    }

    /// A life that begins in the place of one that left its id free.
    private static Versioned anew(HandedCopy copy, Envelope envelope, Versioned known) {
        return new Versioned(
                MailRecord.fresh(envelope.fingerprint(), copy.firstSeen()), known.revision());
    }

    private Optional<Candidate> change(
            HandedCopy copy,
            Envelope envelope,
            SignatureCheck signature,
            Versioned known,
            MailRecord next,
            Instant now)
            throws IOException {
        OptionalLong revision = records.replace(domain, copy.id(), next, known.revision());
        // Whoever was faster decided; each such step leads to another state, so this ends.
        Versioned changed =
                revision.isPresent()
                        ? new Versioned(next, revision.getAsLong())
                        : records.find(domain, copy.id())
                                .orElseGet(() -> unrecorded(copy, envelope));
        return look(copy, envelope, signature, changed, now);
    }

    /// Keeps a copy of what ended badly; what is done needs none.
    void keep(EnvelopeId id, long sequence, Life life, byte[] bytes) throws IOException {
        if (life.state() != State.DONE) {
            stream.archive(domain, id, sequence, life, bytes);
        }
    }

    private Optional<Candidate> holdBack(HandedCopy copy, Duration until) {
        copies.later(copy.ackSubject(), atMost(until));
        return Optional.empty();
    }

    /// Clocks differ, and leases are renewed: nobody waits longer than this without another look.
    Duration atMost(Duration delay) {
        return delay.compareTo(options.lookAgain()) > 0 ? options.lookAgain() : delay;
    }

    Urgency urgency(Envelope envelope, Life life) {
        Duration ttl = envelope.ttl().duration();
        return new Urgency(
                envelope.id(),
                envelope.priority(),
                envelope.ts(),
                life.firstSeen(),
                ttl,
                options.config().halfLife().of(ttl),
                life.failures(),
                life.notBefore());
    }
}
