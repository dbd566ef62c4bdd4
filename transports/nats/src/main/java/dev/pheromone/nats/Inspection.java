package dev.pheromone.nats;

import dev.pheromone.ContentHash;
import dev.pheromone.Domain;
import dev.pheromone.Envelope;
import dev.pheromone.EnvelopeId;
import dev.pheromone.MalformedEnvelopeException;
import dev.pheromone.SignatureCheck;
import dev.pheromone.State;
import dev.pheromone.Urgency;
import dev.pheromone.nats.MailRecords.Versioned;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/// Decides what becomes of an offer: it may be claimed now, later, or never.
final class Inspection {

    /// A copy that may be claimed now.
    record Candidate(
            Offer offer,
            Envelope envelope,
            SignatureCheck signature,
            MailRecord record,
            long revision,
            Urgency urgency) {}

    private final NatsOptions options;
    private final Domain domain;
    private final MailRecords records;
    private final MailStream stream;
    private final Offers offers;

    Inspection(
            NatsOptions options,
            Domain domain,
            MailRecords records,
            MailStream stream,
            Offers offers) {
        this.options = options;
        this.domain = domain;
        this.records = records;
        this.stream = stream;
        this.offers = offers;
    }

    /// The candidate that `offer` is; or empty, and the server was told what to do with it.
    Optional<Candidate> look(Offer offer, Instant now) throws IOException {
        Envelope envelope;
        try {
            envelope = Envelope.parse(offer.bytes());
        } catch (MalformedEnvelopeException e) {
            return refuse(offer, Optional.empty(), "no envelope: " + e.getMessage());
        }
        SignatureCheck signature =
                options.trust().check(envelope, now, options.config().signatures());
        @Nullable String problem = problem(offer, envelope, signature);
        if (problem != null) {
            // With another body, it is not even what its fingerprint says.
            return refuse(
                    offer,
                    Optional.of(envelope).filter(Envelope::hashMatches).map(Envelope::fingerprint),
                    problem);
        }
        return look(offer, envelope, signature, recorded(offer, envelope), now);
    }

    private @Nullable String problem(Offer offer, Envelope envelope, SignatureCheck signature) {
        if (!envelope.id().equals(offer.id())) {
            return "sent under the id " + offer.id() + ", but its own is " + envelope.id();
        }
        if (!envelope.hashMatches()) {
            return "the hash is not the body's";
        }
        if (signature instanceof SignatureCheck.Bad(var reason)) {
            return reason;
        }
        return options.config().isAddressed(envelope.to(), domain)
                ? null
                : "no address leads to " + domain.address();
    }

    /// Never delivered, and not remembered: bad mail takes no id away from the one who owns it.
    ///
    /// @param mail its fingerprint, if it has one
    private Optional<Candidate> refuse(Offer offer, Optional<ContentHash> mail, String reason)
            throws IOException {
        keepUnclaimed(offer, State.DEAD, reason);
        Optional<MailRecords.Mark> mark = records.known(domain, offer.id());
        if (mark.isPresent()
                && mail.equals(Optional.of(mark.get().mail()))
                && records.find(domain, offer.id()).isEmpty()) {
            records.unmark(domain, offer.id(), mark.get());
        }
        offers.neverAgain(offer.ackSubject());
        return Optional.empty();
    }

    private Optional<Candidate> conflict(Offer offer) throws IOException {
        keepUnclaimed(offer, State.CONFLICT, "another envelope has this id");
        offers.neverAgain(offer.ackSubject());
        return Optional.empty();
    }

    private void keepUnclaimed(Offer offer, State state, String reason) throws IOException {
        String name = MailStream.unclaimedName(offer.id(), offer.sequence());
        stream.archive(domain, state, name, offer.bytes(), reason);
    }

    /// What is on record. Nothing is of mail that nobody was handed before.
    private Versioned recorded(Offer offer, Envelope envelope) throws IOException {
        Optional<Versioned> found =
                offer.isFirst() ? Optional.empty() : records.find(domain, offer.id());
        return found.orElseGet(() -> unrecorded(offer, envelope));
    }

    private static Versioned unrecorded(Offer offer, Envelope envelope) {
        return new Versioned(
                MailRecord.fresh(envelope.fingerprint(), offer.firstSeen()), MailRecords.UNWRITTEN);
    }

    /// The same offer once more, after its record or the owner of its id turned out to be another
    /// than was thought.
    Optional<Candidate> lookAgain(Candidate candidate, Instant now) throws IOException {
        Offer offer = candidate.offer();
        Envelope envelope = candidate.envelope();
        if (!isOwner(envelope)) {
            return conflict(offer);
        }
        Versioned known =
                records.find(domain, offer.id()).orElseGet(() -> unrecorded(offer, envelope));
        return look(offer, envelope, candidate.signature(), known, now);
    }

    /// Whether the id is this envelope's.
    boolean isOwner(Envelope envelope) throws IOException {
        ContentHash mail = envelope.fingerprint();
        return records.mark(domain, envelope.id(), mail).mail().equals(mail);
    }

    private Optional<Candidate> look(
            Offer offer, Envelope envelope, SignatureCheck signature, Versioned known, Instant now)
            throws IOException {
        MailRecord record = known.record();
        if (!record.mail().equals(envelope.fingerprint())) {
            if (!isOwner(envelope)) {
                return conflict(offer);
            }
            // Another's was claimed under this id, for a moment or by somebody who died then.
            MailRecord.Holding wrong = record.holding();
            if (record.state() == State.ACTIVE && wrong != null && now.isBefore(wrong.endsAt())) {
                return holdBack(offer, Duration.between(now, wrong.endsAt()));
            }
            Versioned own =
                    new Versioned(
                            MailRecord.fresh(envelope.fingerprint(), offer.firstSeen()),
                            known.revision());
            return look(offer, envelope, signature, own, now);
        }
        boolean isAnotherCopy = record.sequence() != 0 && record.sequence() != offer.sequence();
        if (isAnotherCopy || record.state().isFinal()) {
            if (!isAnotherCopy) {
                keep(offer.id(), record, offer.bytes());
            }
            offers.done(offer.ackSubject());
            return Optional.empty();
        }
        MailRecord.Holding holding = record.holding();
        if (record.state() == State.ACTIVE && holding != null) {
            if (now.isBefore(holding.endsAt())) {
                return holdBack(offer, Duration.between(now, holding.endsAt()));
            }
            // Who claimed it may have died before it saw whose id this is.
            if (!isOwner(envelope)) {
                records.forget(domain, offer.id(), known.revision());
                return conflict(offer);
            }
            MailRecord reaped = record.leaseEnded(now, options.config().attempts());
            return change(offer, envelope, signature, known, reaped, now);
        }
        Urgency urgency = urgency(envelope, record);
        if (urgency.isAbsurd()) {
            MailRecord dead = record.ended(State.DEAD, offer.sequence(), "dated a day ahead");
            return change(offer, envelope, signature, known, dead, now);
        }
        if (urgency.isExpired(now)) {
            MailRecord expired = record.ended(State.EXPIRED, offer.sequence(), "expired");
            return change(offer, envelope, signature, known, expired, now);
        }
        if (!urgency.isReady(now)) {
            return holdBack(offer, Duration.between(now, record.notBefore()));
        }
        return Optional.of(
                new Candidate(offer, envelope, signature, record, known.revision(), urgency));
    }

    private Optional<Candidate> change(
            Offer offer,
            Envelope envelope,
            SignatureCheck signature,
            Versioned known,
            MailRecord next,
            Instant now)
            throws IOException {
        OptionalLong revision = records.replace(domain, offer.id(), next, known.revision());
        // Whoever was faster decided; each such step leads to another state, so this ends.
        Versioned changed =
                revision.isPresent()
                        ? new Versioned(next, revision.getAsLong())
                        : records.find(domain, offer.id())
                                .orElseGet(() -> unrecorded(offer, envelope));
        return look(offer, envelope, signature, changed, now);
    }

    /// Keeps a copy of what ended badly; what is done needs none.
    void keep(EnvelopeId id, MailRecord record, byte[] bytes) throws IOException {
        if (record.state() != State.DONE) {
            stream.archive(domain, record.state(), id.toString(), bytes, record.note());
        }
    }

    private Optional<Candidate> holdBack(Offer offer, Duration until) {
        offers.later(offer.ackSubject(), atMost(until));
        return Optional.empty();
    }

    /// Clocks differ, and leases are renewed: nobody waits longer than this without another look.
    Duration atMost(Duration delay) {
        return delay.compareTo(options.lookAgain()) > 0 ? options.lookAgain() : delay;
    }

    Urgency urgency(Envelope envelope, MailRecord record) {
        Duration ttl = envelope.ttl().duration();
        return new Urgency(
                envelope.id(),
                envelope.priority(),
                envelope.ts(),
                record.firstSeen(),
                ttl,
                options.config().halfLife().of(ttl),
                record.failures(),
                record.notBefore());
    }
}
