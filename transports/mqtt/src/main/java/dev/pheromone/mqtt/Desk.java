package dev.pheromone.mqtt;

import dev.pheromone.ContentHash;
import dev.pheromone.EnvelopeId;
import dev.pheromone.MalformedEnvelopeException;
import dev.pheromone.Outcome;
import dev.pheromone.SignatureCheck;
import dev.pheromone.State;
import dev.pheromone.Urgency;
import dev.pheromone.mqtt.MailRecord.Holding;
import dev.pheromone.mqtt.Pieces.Piece;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// Where it is decided what becomes of the mail in one inbox. For one thread: that of its keeper.
final class Desk {

    /// The broker tells of new mail, but may leave some out. So often we look whether it did, while
    /// there is nothing else to do,
    private static final Duration LOOK_IDLE = Duration.ofSeconds(30);

    /// and while there is.
    private static final Duration LOOK_BUSY = Duration.ofMinutes(5);

    private final InstantSource clock;
    private final Shelf shelf;
    private final Inspection inspection;
    private final Pieces pieces;
    private final String office;
    private boolean isWhole;
    private long lookedAt = System.nanoTime() - LOOK_BUSY.toNanos() - 1;
    private long picks;

    /// @param office the word by which our time as keeper is known
    Desk(InstantSource clock, Shelf shelf, Inspection inspection, Pieces pieces, String office) {
        this.clock = clock;
        this.shelf = shelf;
        this.inspection = inspection;
        this.pieces = pieces;
        this.office = office;
    }

    /// Takes in all mail that lies on the broker.
    void look() throws IOException {
        Shelf.Found found = shelf.mail();
        takeIn(found.posts());
        isWhole = found.isWhole();
        lookedAt = System.nanoTime();
    }

    /// Takes in mail that has come. What it is worth is decided by its bytes and its record.
    void takeIn(Collection<Post> posts) throws IOException {
        Instant now = clock.instant();
        List<Mail> fresh = new ArrayList<>();
        for (Post post : posts) {
            if (!post.isEmpty() && !pieces.isKnown(post.topic())) {
                read(post, now).ifPresent(fresh::add);
            }
        }
        // Of several under one id the first counts, for whoever looks.
        fresh.sort(
                Comparator.comparing(Mail::firstSeen)
                        .thenComparing(mail -> mail.fingerprint().hex()));
        Shelf.Records records =
                shelf.records(
                        fresh.stream()
                                .filter(mail -> !isNew(mail))
                                .map(mail -> mail.envelope().id())
                                .distinct()
                                .toList());
        for (Mail mail : fresh) {
            EnvelopeId id = mail.envelope().id();
            if (records.unreadable().contains(id)) {
                refuse(mail, State.DEAD, "its record can't be read");
            } else {
                takeIn(mail, pieces.newest(id, records.readable().get(id)), now);
            }
        }
    }

    /// Whether its record need not be looked for: its sender did, in our time, and found none. What
    /// has been written since we wrote ourselves.
    private boolean isNew(Mail mail) {
        return mail.office().equals(office) && pieces.knowAllThatEnded();
    }

    private void refuse(Mail mail, State state, String reason) {
        String name = mail.envelope().id() + "-" + mail.fingerprint().hex();
        pieces.refuse(Post.kept(mail.topic(), mail.bytes()), state, name, reason);
    }

    private Optional<Mail> read(Post post, Instant now) {
        String problem;
        try {
            Mail mail = Mail.parse(post, now);
            String found = inspection.problem(mail);
            if (found == null) {
                return Optional.of(mail);
            }
            problem = found;
        } catch (MalformedEnvelopeException e) {
            problem = "no envelope: " + e.getMessage();
        }
        pieces.refuse(post, State.DEAD, ContentHash.of(post.payload()).hex(), problem);
        return Optional.empty();
    }

    private void takeIn(Mail mail, @Nullable MailRecord known, Instant now) {
        EnvelopeId id = mail.envelope().id();
        Piece other = pieces.find(id);
        MailRecord record = other == null ? known : other.record();
        if (record == null) {
            pieces.add(
                    new Piece(mail, MailRecord.fresh(mail.fingerprint(), mail.firstSeen())), now);
        } else if (!record.mail().equals(mail.fingerprint())) {
            refuse(mail, State.CONFLICT, "another envelope has this id");
        } else if (record.state().isFinal()) {
            pieces.clear(mail.topic());
        } else if (other == null) {
            pieces.add(new Piece(mail, record), now);
        }
    }

    Answer answer(Ask ask) throws IOException {
        return switch (ask) {
            case Ask.Take take -> take(take);
            case Ask.Renew(var _, var token) -> renew(token);
            case Ask.Settle settle -> settle(settle);
        };
    }

    private Answer take(Ask.Take ask) throws IOException {
        if (isLongAgo(LOOK_BUSY)) {
            look();
        }
        Instant now = clock.instant();
        for (Piece piece : pieces.active()) {
            if (piece.record().ask().equals(ask.id())) {
                return taken(piece, "asked for again");
            }
        }
        putInOrder(now);
        Optional<Answer> answer = takeNext(ask, now);
        if (answer.isEmpty() && (!isWhole || isLongAgo(LOOK_IDLE))) {
            look();
            answer = takeNext(ask, now);
        }
        return answer.orElseGet(Answer.Nothing::new);
    }

    private boolean isLongAgo(Duration interval) {
        return System.nanoTime() - lookedAt > interval.toNanos();
    }

    /// Leases that are over, and envelopes whose time is.
    private void putInOrder(Instant now) {
        for (Piece piece : pieces.active()) {
            Holding by = piece.record().holding();
            if (by != null && !now.isBefore(by.endsAt())) {
                String why = "the lease of " + by.worker() + " ended";
                pieces.change(
                        piece, piece.record().failed(now, inspection.attemptsMax(), why, ""), now);
            }
        }
        for (Optional<Piece> next = pieces.firstExpired(now);
                next.isPresent();
                next = pieces.firstExpired(now)) {
            Piece piece = next.get();
            pieces.change(piece, piece.record().ended(State.EXPIRED, "expired", ""), now);
        }
    }

    private Optional<Answer> takeNext(Ask.Take ask, Instant now) {
        Urgency.Turn turn = inspection.turn(picks + 1);
        for (Optional<Piece> next = pieces.pick(now, turn);
                next.isPresent();
                next = pieces.pick(now, turn)) {
            Piece piece = next.get();
            if (inspection.signature(piece.mail().envelope(), now)
                    instanceof SignatureCheck.Bad(var reason)) {
                pieces.refuse(piece, reason);
                continue;
            }
            picks++;
            return Optional.of(claim(piece, ask, turn, now));
        }
        return Optional.empty();
    }

    private Answer claim(Piece piece, Ask.Take ask, Urgency.Turn turn, Instant now) {
        MailRecord record = piece.record();
        String rationale =
                inspection
                        .urgency(piece.mail().envelope(), record)
                        .rationale(turn, pieces.waiting(), now);
        String token =
                piece.id() + "." + (record.failures() + 1) + "." + ask.worker() + "." + ask.id();
        Duration lease = ask.lease().duration();
        Holding by = new Holding(token, ask.worker(), lease, now, now.plus(lease));
        MailRecord claimed = record.claimed(by, ask.id());
        pieces.change(piece, claimed, now);
        return taken(new Piece(piece.mail(), claimed), rationale);
    }

    private static Answer taken(Piece piece, String rationale) {
        Holding by = piece.record().holding();
        if (by == null) {
            return new Answer.Trouble("record of " + piece.id() + ": no claim in it, expected one");
        }
        return new Answer.Taken(
                by.token(),
                piece.record().failures() + 1,
                by.claimedAt(),
                by.endsAt(),
                rationale,
                piece.mail().bytes());
    }

    private Answer renew(String token) throws IOException {
        Piece piece = held(token);
        Holding by = piece == null ? null : piece.record().holding();
        if (piece == null || by == null) {
            return lost(token);
        }
        Instant now = clock.instant();
        Instant endsAt = now.plus(by.lease());
        Holding longer = new Holding(token, by.worker(), by.lease(), by.claimedAt(), endsAt);
        pieces.change(piece, piece.record().renewed(longer), now);
        return new Answer.Renewed(endsAt);
    }

    private Answer settle(Ask.Settle ask) throws IOException {
        Piece piece = held(ask.token());
        if (piece == null) {
            return settledBefore(ask);
        }
        Instant now = clock.instant();
        MailRecord next = next(piece.record(), ask, now);
        pieces.change(piece, next, now);
        return new Answer.Settled(next.state());
    }

    private MailRecord next(MailRecord record, Ask.Settle ask, Instant now) {
        return switch (ask.outcome()) {
            case Outcome.Done(var note) -> record.ended(State.DONE, note, ask.id());
            case Outcome.Failed(var note) ->
                    record.failed(now, inspection.attemptsMax(), note, ask.id());
            case Outcome.Released(var note, var pause) ->
                    record.released(pause.isZero() ? null : now.plus(pause), note, ask.id());
        };
    }

    /// What `token` holds; null if that is nothing any more.
    private @Nullable Piece held(String token) throws IOException {
        EnvelopeId id = idOf(token);
        if (id == null) {
            return null;
        }
        if (pieces.find(id) == null) {
            takeIn(shelf.mail(id));
        }
        Piece piece = pieces.find(id);
        return piece != null
                        && piece.record().state() == State.ACTIVE
                        && piece.record().isHeldBy(token)
                ? piece
                : null;
    }

    /// What has been said before, by the same question or with the same meaning, is no news.
    private Answer settledBefore(Ask.Settle ask) throws IOException {
        EnvelopeId id = idOf(ask.token());
        MailRecord record = id == null ? null : record(id);
        if (id == null || record == null || !record.isHeldBy(ask.token())) {
            return lost(ask.token());
        }
        boolean isDone = ask.outcome() instanceof Outcome.Done;
        if (record.state() == State.ACTIVE && isDone) {
            // The broker has let go of the mail, long after its time, but the work was done.
            pieces.write(id, record.ended(State.DONE, ask.outcome().note(), ask.id()));
            return new Answer.Settled(State.DONE);
        }
        return record.ask().equals(ask.id()) || (isDone && record.state() == State.DONE)
                ? new Answer.Settled(record.state())
                : lost(ask.token());
    }

    private @Nullable MailRecord record(EnvelopeId id) throws IOException {
        Piece piece = pieces.find(id);
        return piece == null ? pieces.newest(id, shelf.record(id).orElse(null)) : piece.record();
    }

    private static @Nullable EnvelopeId idOf(String token) {
        int dot = token.indexOf('.');
        return dot > 0 && EnvelopeId.isId(token.substring(0, dot))
                ? EnvelopeId.parse(token.substring(0, dot))
                : null;
    }

    private static Answer lost(String token) {
        return new Answer.Lost("claim " + token + " is not in force any more");
    }
}
