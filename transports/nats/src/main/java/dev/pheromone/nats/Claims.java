package dev.pheromone.nats;

import dev.pheromone.Actor;
import dev.pheromone.Claim;
import dev.pheromone.ContentHash;
import dev.pheromone.Domain;
import dev.pheromone.Envelope;
import dev.pheromone.EnvelopeId;
import dev.pheromone.Lease;
import dev.pheromone.Outcome;
import dev.pheromone.Settlement;
import dev.pheromone.State;
import dev.pheromone.nats.Inspection.Candidate;
import dev.pheromone.nats.MailRecord.Holding;
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
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

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
    private final Offers offers;
    private final Inspection inspection;
    private final SecureRandom random = new SecureRandom();
    private final Map<String, Versioned> remembered = new LinkedHashMap<>();

    Claims(
            NatsOptions options,
            InstantSource clock,
            Domain domain,
            MailRecords records,
            MailStream stream,
            Offers offers,
            Inspection inspection) {
        this.options = options;
        this.clock = clock;
        this.domain = domain;
        this.records = records;
        this.stream = stream;
        this.offers = offers;
        this.inspection = inspection;
    }

    /// Claims `candidate`, unless somebody changed its record meanwhile.
    Optional<Claim> claim(Candidate candidate, Actor worker, Lease lease, String rationale)
            throws IOException {
        Instant now = clock.instant();
        EnvelopeId id = candidate.envelope().id();
        int attempt = candidate.record().failures() + 1;
        byte[] unguessable = new byte[RANDOM_BYTES];
        random.nextBytes(unguessable);
        String token =
                id + "." + attempt + "." + worker + "." + HexFormat.of().formatHex(unguessable);
        Instant endsAt = now.plus(lease.duration());
        MailRecord claimed =
                candidate
                        .record()
                        .claimed(
                                candidate.offer().sequence(),
                                new Holding(
                                        token,
                                        worker,
                                        lease.duration(),
                                        endsAt,
                                        candidate.offer().ackSubject()));
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
            if (isUnrecorded && !isOwner(candidate.envelope(), mark.get())) {
                records.forget(domain, id, revision.getAsLong());
                return Optional.empty();
            }
        }
        remember(token, new Versioned(claimed, revision.getAsLong()));
        return Optional.of(
                new Claim(
                        token,
                        candidate.envelope(),
                        domain,
                        worker,
                        attempt,
                        now,
                        endsAt,
                        candidate.signature(),
                        rationale,
                        domain + "/" + id));
    }

    /// Only the leader can tell that it is another's.
    private boolean isOwner(Envelope envelope, Optional<ContentHash> lastKnown) throws IOException {
        return lastKnown.equals(Optional.of(envelope.fingerprint()))
                || inspection.isOwner(envelope);
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
        @Nullable MailRecord renewed =
                change(token, record -> record.renewed(now.plus(lease(record))));
        Holding holding = renewed == null ? null : renewed.holding();
        if (holding == null) {
            return lost(token);
        }
        offers.atWork(holding.ackSubject());
        return new Settlement.Renewed(holding.endsAt());
    }

    private static Duration lease(MailRecord record) {
        Holding holding = record.holding();
        return holding == null ? Duration.ZERO : holding.lease();
    }

    Settlement settle(String token, Outcome outcome) throws IOException {
        Instant now = clock.instant();
        int attemptsMax = options.config().attempts();
        @Nullable MailRecord settled =
                change(
                        token,
                        record ->
                                switch (outcome) {
                                    case Outcome.Done(var note) ->
                                            record.ended(State.DONE, record.sequence(), note);
                                    case Outcome.Failed(var note) ->
                                            record.failed(now, attemptsMax, note);
                                    case Outcome.Released(var _, var pause) ->
                                            record.released(
                                                    pause.isZero() ? null : now.plus(pause));
                                });
        if (settled == null) {
            return toldBefore(token, outcome).map(Claims::settled).orElseGet(() -> lost(token));
        }
        forget(token);
        tellServer(token, settled, now);
        return settled(settled.state());
    }

    /// When a server forces what it confirmed to its disk is its own affair.
    private static Settlement settled(State state) {
        return new Settlement.Settled(state, Settlement.Confirmation.UNKNOWN);
    }

    private void tellServer(String token, MailRecord settled, Instant now) throws IOException {
        Holding holding = settled.holding();
        String ackSubject = holding == null ? "" : holding.ackSubject();
        Instant notBefore = settled.notBefore();
        switch (settled.state()) {
            case DONE -> offers.done(ackSubject);
            case WAITING -> {
                if (notBefore == null) {
                    offers.giveBack(ackSubject);
                    offers.cameBack();
                } else {
                    Duration pause = Duration.between(now, notBefore);
                    offers.later(ackSubject, inspection.atMost(pause));
                }
            }
            default -> {
                Optional<byte[]> bytes = stream.at(settled.sequence());
                if (bytes.isPresent()) {
                    inspection.keep(idOf(token), settled, bytes.get());
                }
                offers.neverAgain(ackSubject);
            }
        }
    }

    /// Changes the record of a claim that is in force; null if it is not.
    private @Nullable MailRecord change(String token, UnaryOperator<MailRecord> step)
            throws IOException {
        if (!hasId(token)) {
            return null;
        }
        EnvelopeId id = idOf(token);
        @Nullable Versioned known = remembered(token);
        if (known == null) {
            known = records.find(domain, id).orElse(null);
        }
        @Nullable MailRecord written = null;
        for (int i = 0; i < CONTENTION_MAX && known != null; i++) {
            MailRecord record = known.record();
            if (record.equals(written)) {
                return written;
            }
            if (record.state() != State.ACTIVE || !isHeldBy(record, token)) {
                return null;
            }
            written = step.apply(record);
            OptionalLong revision = records.replace(domain, id, written, known.revision());
            if (revision.isPresent()) {
                remember(token, new Versioned(written, revision.getAsLong()));
                return written;
            }
            known = records.find(domain, id).orElse(null);
        }
        return null;
    }

    /// The state to which this very outcome has brought the claim already, if whoever tells it has
    /// told it before and only did not hear the answer; empty if the claim ended otherwise, or
    /// another followed.
    private Optional<State> toldBefore(String token, Outcome outcome) throws IOException {
        if (!hasId(token)) {
            return Optional.empty();
        }
        Optional<MailRecord> last =
                records.find(domain, idOf(token))
                        .map(Versioned::record)
                        .filter(record -> isHeldBy(record, token));
        int attempt = attemptOf(token);
        Predicate<MailRecord> isEndedSo =
                switch (outcome) {
                    case Outcome.Done _ -> record -> record.state() == State.DONE;
                    case Outcome.Failed _ -> record -> record.isFailedByHolder(attempt);
                    case Outcome.Released _ -> record -> record.isReleased(attempt);
                };
        return last.filter(isEndedSo).map(MailRecord::state);
    }

    /// The number of the attempt that a token is for; 0 if it names none.
    private static int attemptOf(String token) {
        int from = token.indexOf('.') + 1;
        int to = token.indexOf('.', from);
        try {
            return to < 0 ? 0 : Integer.parseInt(token.substring(from, to));
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private static boolean isHeldBy(MailRecord record, String token) {
        Holding holding = record.holding();
        return holding != null && holding.token().equals(token);
    }

    private static boolean hasId(String token) {
        int dot = token.indexOf('.');
        return dot > 0 && EnvelopeId.isId(token.substring(0, dot));
    }

    private static EnvelopeId idOf(String token) {
        return EnvelopeId.parse(token.substring(0, token.indexOf('.')));
    }

    private static Settlement lost(String token) {
        return new Settlement.Lost("claim " + token + " is not in force any more");
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
