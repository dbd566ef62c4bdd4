package dev.pheromone.nats;

import dev.pheromone.address.Domain;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.nats.MailRecords.Mark;
import dev.pheromone.nats.MailRecords.Versioned;

import java.io.IOException;
import java.util.Optional;

/// Whose mail an id belongs to: the mark of the id decides, and senders and readers ask here.
///
/// Every life begins with a mark that is written for it, even if the same mail had the mark before.
/// Mark and record are in one stream, so that their revisions tell which is younger. A record that
/// is older than the mark is of a life before; only a younger one can show that the id is free. Of
/// several who find the same id free, one changes the mark, and the others look again.
final class Ownership {

    /// How often somebody looks again because others changed the mark. Each of these changes begins
    /// another life, so that two are rare already.
    private static final int CONTENTION_MAX = 20;

    /// Whose an id is.
    sealed interface Verdict {

        /// The id is that of the mail in question.
        ///
        /// @param record what is on record under the id: of this life, of one before, or of mail
        ///   that was claimed without a right to the id
        record Ours(Optional<Versioned> record) implements Verdict {}

        /// The id is that of other mail.
        record Others() implements Verdict {}
    }

    private final MailRecords records;
    private final MailStream stream;

    Ownership(MailRecords records, MailStream stream) {
        this.records = records;
        this.stream = stream;
    }

    /// Whose the id of `envelope` is, for its sender; a free id becomes this envelope's.
    Verdict ofSent(Domain domain, Envelope envelope) throws IOException {
        return decide(domain, envelope.id(), envelope.fingerprint(), () -> true);
    }

    /// Whose the id of `envelope` is, for a reader who was handed the copy at `sequence`; a free id
    /// becomes this envelope's, if the copy is still there. A sender who is about to say "conflict"
    /// takes the copy back first, and then asks whose the id is: one of the two notices the other.
    Verdict ofHandedOut(Domain domain, Envelope envelope, long sequence) throws IOException {
        EnvelopeId id = envelope.id();
        return decide(
                domain, id, envelope.fingerprint(), () -> stream.isThere(domain, id, sequence));
    }

    /// A condition of taking a free id.
    private interface Condition {
        boolean holds() throws IOException;
    }

    private Verdict decide(Domain domain, EnvelopeId id, ContentHash mail, Condition mayTake)
            throws IOException {
        for (int i = 0; i < CONTENTION_MAX; i++) {
            // The record first: a mark that is read later is never older than what the record says.
            Optional<Versioned> record = records.find(domain, id);
            Optional<Mark> mark = records.known(domain, id);
            Optional<Versioned> ended =
                    record.filter(of -> mark.isPresent() && of.leavesFree(mark.get(), id));
            if (mark.isPresent() && ended.isEmpty()) {
                return mark.get().mail().equals(mail)
                        ? new Verdict.Ours(record)
                        : new Verdict.Others();
            }
            if (!mayTake.holds()) {
                return new Verdict.Others();
            }
            if (ended.isPresent()) {
                // Its reader has not told the server yet, or died. Once the id has another owner,
                // a copy that lies here was never handed out.
                stream.clear(domain, id, ended.get().record());
            }
            long revision = mark.isPresent() ? mark.get().revision() : MailRecords.UNWRITTEN;
            if (records.remark(domain, id, mail, revision)) {
                return new Verdict.Ours(record);
            }
        }
        throw new IOException("mark of " + id + ": found other mail's again and again");
    }
}
