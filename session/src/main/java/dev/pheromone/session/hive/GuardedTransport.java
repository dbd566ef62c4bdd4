package dev.pheromone.session.hive;

import dev.pheromone.Outcome;
import dev.pheromone.Receipt;
import dev.pheromone.State;
import dev.pheromone.Transport;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.file.embargo.MissingInbox;
import dev.pheromone.guard.WithheldException;
import dev.pheromone.selection.Waiting;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.caller.ProblemException.Code;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The transport that a caller's mail goes and comes by, under the policy of the caller's hive:
/// locks, consent, what must not become public, the outbox, and a record in the hive's log.
///
/// The hive's own inboxes ([OwnTransport]), a transport of hive.yaml ([OtherTransport]), and a
/// broker that mail is sent over while answers come to the hive's own inboxes ([CarriedTransport])
/// are used alike: whatever differs between them is a method here.
public abstract sealed class GuardedTransport implements Transport
        permits OwnTransport, OtherTransport {

    /// Some of the copies that ended.
    ///
    /// @param count how many there are in all
    public record Archived(List<ArchivedCopy> copies, int count) {

        public Archived {
            copies = List.copyOf(copies);
        }
    }

    /// A file as it is.
    public static final class Raw {
        private final String location;
        private final byte[] bytes;

        Raw(String location, byte[] bytes) {
            this.location = location;
            this.bytes = bytes;
        }

        public String location() {
            return location;
        }

        public byte[] bytes() {
            return bytes.clone();
        }
    }

    /// The text of a reply, which is read only if it has to be kept.
    public interface Body {
        byte[] read() throws IOException;
    }

    /// What hive.yaml calls the transport; empty for the hive's own inboxes.
    public abstract Optional<String> name();

    /// Sends `envelope`, or keeps it: in the embargo under a lock, in the outbox if nobody answers.
    ///
    /// @param missing what becomes of mail whose inbox is not there
    public abstract Receipt send(Envelope envelope, MissingInbox missing)
            throws IOException, NoSuchInboxException;

    @Override
    public final Receipt send(Envelope envelope) throws IOException, NoSuchInboxException {
        return send(envelope, MissingInbox.FAILS);
    }

    /// The inboxes that mail can be sent to, by name; where mail is only carried, these are not the
    /// ones that are worked on.
    public List<Domain> reachable() throws IOException {
        return domains();
    }

    /// Fails if senders are not told how their mail ended.
    public void requireEnds() {
        throw new ProblemException(
                        Code.USAGE,
                        name().orElse("this hive")
                                + " does not tell senders what becomes of mail, expected an MQTT"
                                + " transport")
                .in("wait-for")
                .hint("rsm trace ID shows what became of mail in this hive");
    }

    /// Waits until the copy in `inbox`, which was carried there, has ended, and returns how; empty
    /// if nobody said so in time.
    public Optional<State> awaitEnd(Envelope envelope, Domain inbox, Duration patience)
            throws IOException {
        requireEnds();
        return Optional.empty();
    }

    /// Makes the caller's inbox, unless there is one: answers need somewhere to go.
    public abstract void makeRoomForAnswers() throws IOException;

    /// Whether there is this inbox.
    public boolean hasInbox(Domain inbox) throws IOException {
        return domains().contains(inbox);
    }

    /// Whether `actor` may have taken the copy of the question `id` in `inbox`.
    public abstract boolean mayHaveTaken(Actor actor, EnvelopeId id, Domain inbox)
            throws IOException;

    /// Fails if copies are handed out in an order that nobody can choose from.
    public void requireChoice() {}

    /// Whether a caller can choose which copy to take.
    public boolean hasChoice() {
        return true;
    }

    /// The mail in `inbox` that is wanted, as far as the transport shows it: what waits, and in the
    /// hive's own inboxes also what was taken, or has ended since then.
    public abstract List<StoredMail> stored(Domain inbox, Instant since, StoredMail.Wanted wanted)
            throws IOException, NoSuchInboxException;

    /// The mail in `inbox` that is wanted and has not ended, as far as the transport shows it.
    public List<StoredMail> open(Domain inbox, StoredMail.Wanted wanted)
            throws IOException, NoSuchInboxException {
        return storedAndWaiting(inbox, wanted);
    }

    /// What waits in `inbox` and is wanted.
    public List<StoredMail> storedAndWaiting(Domain inbox, StoredMail.Wanted wanted)
            throws IOException, NoSuchInboxException {
        return StoredMail.waiting(this, inbox, inbox(inbox).waiting(), wanted);
    }

    /// The copy that a selection would take from `inbox` now; empty if it would take none.
    public abstract Optional<Take.Next> next(Domain inbox) throws IOException;

    /// How many copies in `inbox` are being worked on; null if that is not known.
    public @Nullable Integer active(Domain inbox) throws IOException {
        return null;
    }

    /// Takes back copies whose holders are gone, where that is for their readers to do.
    public void reap(Domain inbox) throws IOException {}

    /// Says why mail that expired then is still there, if the caller's hive keeps it.
    public void tellIfKept(Instant expiresAt) throws IOException {}

    /// What the signature of waiting mail is worth, in a word; empty if the mail went on its way.
    public abstract Optional<String> signature(Domain inbox, Waiting.Mail mail) throws IOException;

    /// At most `countMax` of the copies that ended, newest first where it is known when that was.
    ///
    /// @param state how; null for every end
    /// @param since the earliest end that counts; null for any
    public abstract Archived archived(@Nullable State state, @Nullable Instant since, int countMax)
            throws IOException;

    /// The envelope that `said` means, checked.
    public abstract OpenedCopy opened(String said) throws IOException;

    /// Waiting mail, checked; empty if the mail went on its way.
    public abstract Optional<OpenedCopy> opened(Domain inbox, Waiting.Mail mail) throws IOException;

    /// The file of the envelope that `said` means.
    ///
    /// @param doing what the caller is doing, for the log
    public abstract Raw raw(String said, @Nullable String doing) throws IOException;

    /// Notes in the log that `envelope` was looked at.
    public abstract void sensed(Envelope envelope, @Nullable String doing) throws IOException;

    /// What the holder of a claim had of the same copy before.
    abstract ClaimNames.Before before(
            Domain inbox, EnvelopeId id, Actor holder, int attempt, String token)
            throws IOException;

    /// The caller's claim that `said` means.
    public abstract ClaimLookup.Found claim(String said) throws IOException;

    /// As [#claim]; mail that waits in the caller's own inbox is claimed first, where single copies
    /// can be taken.
    public ClaimLookup.Search claimOrTake(String said) throws IOException {
        return claim(said);
    }

    /// The envelope of the claim that `said` means, if it is known without asking that its work is
    /// done; null if not.
    public @Nullable EnvelopeId doneBefore(String said) throws IOException {
        return null;
    }

    /// Remembers that the work of a claim is done, where nobody else does.
    public void noteDone(String token) {}

    /// What became of a word on a claim which `lock` hides, and which renews it.
    public abstract Ack.Fate hidden(WithheldException lock);

    /// Keeps the outcome of a claim that `lock` hides, if it can be kept.
    public abstract Ack.Fate keep(
            String said, Outcome outcome, @Nullable Body reply, WithheldException lock)
            throws IOException;
}
