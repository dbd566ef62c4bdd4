package dev.pheromone.nats;

import dev.pheromone.SendResult;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.life.Resend;
import dev.pheromone.life.Resend.Likeness;
import dev.pheromone.life.Why;
import dev.pheromone.nats.MailRecords.Versioned;
import dev.pheromone.nats.MailStream.Stored;
import dev.pheromone.nats.Ownership.Verdict;

import io.nats.client.api.MessageInfo;

import java.io.IOException;
import java.time.Instant;
import java.util.Optional;

/// One envelope on its way into one inbox, and the answer to its sender.
///
/// Mail is stored before its sender knows whose the id is, and a reader may be handed it at once.
/// Therefore "conflict" is the answer only when the copy is not there any more and the id is still
/// that of other mail; and any other answer only when the id is this mail's and a copy lies in its
/// place.
final class Sending {

    /// How often a sender looks again because others changed what it had found.
    private static final int CONTENTION_MAX = 40;

    private final MailRecords records;
    private final MailStream stream;
    private final Ownership ownership;
    private final Envelope envelope;
    private final EnvelopeId id;
    private final ContentHash mail;
    private final Domain domain;
    private final String location;
    private final Instant now;

    /// What became of the copy when it was last stored.
    private Stored stored = new Stored.Gone();

    /// Where a copy lay that was taken back because the id was another's; 0 if there was none.
    private long withdrawn;

    /// How often the copy was stored under a key of its own, because the server takes a key that it
    /// knows for a copy that it has.
    private int storedAgain;

    Sending(
            MailRecords records,
            MailStream stream,
            Ownership ownership,
            Envelope envelope,
            Domain domain,
            String location,
            Instant now) {
        this.records = records;
        this.stream = stream;
        this.ownership = ownership;
        this.envelope = envelope;
        id = envelope.id();
        mail = envelope.fingerprint();
        this.domain = domain;
        this.location = location;
        this.now = now;
    }

    /// Stores the mail and marks its id, both at once: for mail that nobody has sent before,
    /// nothing else is needed.
    SendResult send() throws IOException {
        MailRecords.Mark mark;
        try (Exchange exchange = records.exchange()) {
            Exchange.Later<MailRecords.Mark> marking = records.markSoon(exchange, domain, id, mail);
            stored = stream.store(domain, envelope, now, "");
            mark = marking.get();
        }
        return mark.isNew() && stored instanceof Stored.Now
                ? new SendResult.Delivered(location)
                : sendKnown();
    }

    /// Goes on with mail whose id was known, or which was there. Each round begins with what holds
    /// now, because a reader or another sender may have gone on with the same mail.
    private SendResult sendKnown() throws IOException {
        for (int i = 0; i < CONTENTION_MAX; i++) {
            Optional<SendResult> result =
                    switch (ownership.ofSent(domain, envelope)) {
                        case Verdict.Ours(var record) -> asOwner(record);
                        case Verdict.Others _ -> withoutRight();
                    };
            if (result.isPresent()) {
                if (withdrawn > 0 && !(result.get() instanceof SendResult.Conflict)) {
                    stream.pardon(domain, id, withdrawn);
                }
                return result.get();
            }
        }
        throw new IOException("envelope " + id + ": others change its record again and again");
    }

    /// Takes the copy back that was stored, and looks again: until it was taken back, a reader
    /// could get the id for it.
    private Optional<SendResult> withoutRight() throws IOException {
        if (!(stored instanceof Stored.Now(var sequence))) {
            return Optional.of(conflict());
        }
        if (!stream.takeBack(sequence) && !stream.isCondemned(domain, id, sequence)) {
            // Only a reader who was handed the copy by right removes it without keeping a conflict.
            return Optional.of(new SendResult.Delivered(location));
        }
        withdrawn = sequence;
        stored = new Stored.Gone();
        return Optional.empty();
    }

    /// Brings the copy to its place, as the owner of its id.
    ///
    /// @param record what is on record under the id
    private Optional<SendResult> asOwner(Optional<Versioned> record) throws IOException {
        Optional<Versioned> own =
                record.filter(of -> of.record().isOf(mail) && !of.record().leavesFree(id));
        if (own.isPresent() && own.get().record().life().state().isFinal()) {
            return Optional.of(finished(own.get().record()));
        }
        switch (stored) {
            case Stored.Now(var sequence) -> {
                return inPlace(sequence, record, own);
            }
            case Stored.Before(var there) when isOfLifeBefore(there, record) -> storeAgain();
            case Stored.Before before when before.is(envelope) -> {
                long sequence = before.there().getSeq();
                // Its sender may have taken it back when the id was another's.
                if (own.isPresent() || stream.isThere(domain, id, sequence)) {
                    return inPlace(sequence, record, own);
                }
                storeAgain();
            }
            case Stored.Before(var there) -> {
                evict(there);
                storeAgain();
            }
            case Stored.Gone _ -> storeAgain();
        }
        return Optional.empty();
    }

    /// The work on this mail is over, and nothing may begin it again.
    private SendResult finished(MailRecord record) throws IOException {
        if (stored instanceof Stored.Now(var sequence)) {
            if (record.sequence() == sequence) {
                return new SendResult.Delivered(location);
            }
            boolean _ = stream.takeBack(sequence);
        }
        return new SendResult.Duplicate(location);
    }

    private boolean isOfLifeBefore(MessageInfo there, Optional<Versioned> record) {
        return record.isPresent()
                && record.get().record().leavesFree(id)
                && record.get().record().sequence() == there.getSeq();
    }

    private void storeAgain() throws IOException {
        stored = stream.store(domain, envelope, now, "|" + now + "|" + storedAgain);
        storedAgain++;
    }

    /// Clears our place of mail that has no right to the id.
    private void evict(MessageInfo other) throws IOException {
        long sequence = other.getSeq();
        if (!stream.isThere(domain, id, sequence)) {
            return;
        }
        stream.condemn(domain, id, sequence, MailStream.bytes(other));
        if (ownership.ofSent(domain, envelope) instanceof Verdict.Ours) {
            boolean _ = stream.takeBack(sequence);
        } else {
            stream.pardon(domain, id, sequence);
        }
    }

    /// Makes sure that the record, if there is one, is of the copy at `sequence`.
    ///
    /// @param own the record of this mail's life, which goes on
    private Optional<SendResult> inPlace(
            long sequence, Optional<Versioned> record, Optional<Versioned> own) throws IOException {
        boolean isNew = stored instanceof Stored.Now;
        if ((isNew || own.isEmpty()) && stream.isCondemned(domain, id, sequence)) {
            // Somebody removes the copy, who saw that the id was another's.
            boolean _ = stream.takeBack(sequence);
            stream.pardon(domain, id, sequence);
            stored = new Stored.Gone();
            return Optional.empty();
        }
        SendResult result =
                isNew ? new SendResult.Delivered(location) : new SendResult.Duplicate(location);
        if (own.isPresent()) {
            long place = own.get().record().sequence();
            if (place == 0 || place == sequence) {
                return Optional.of(result);
            }
            if (stream.isThere(domain, id, place)) {
                if (isNew) {
                    boolean _ = stream.takeBack(sequence);
                }
                return Optional.of(new SendResult.Duplicate(location));
            }
            return replaced(own.get(), own.get().record().at(sequence), result);
        }
        // A record of other mail that does not leave the id free is a claim without a right to the
        // id. Readers see to that.
        return record.isPresent() && record.get().record().leavesFree(id)
                ? replaced(record.get(), MailRecord.fresh(mail, now).at(sequence), result)
                : Optional.of(result);
    }

    /// The result, if nobody else has changed the record: a reader who claimed the copy, or another
    /// sender of the same mail.
    private Optional<SendResult> replaced(Versioned last, MailRecord next, SendResult result)
            throws IOException {
        return records.replace(domain, id, next, last.revision()).isPresent()
                ? Optional.of(result)
                : Optional.empty();
    }

    private SendResult conflict() throws IOException {
        Optional<Versioned> known = records.find(domain, id);
        return new SendResult.Conflict(
                location,
                known.isPresent()
                                && known.get().record().life().sentAgain(Likeness.OTHER, id)
                                        instanceof Resend.Conflict(var reason)
                        ? reason
                        : Why.ID_TAKEN.text(id));
    }
}
