package dev.pheromone.nats;

import dev.pheromone.Ended;
import dev.pheromone.State;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.MalformedEnvelopeException;
import dev.pheromone.envelope.Priority;
import dev.pheromone.life.Life;
import dev.pheromone.life.Why;

import io.nats.client.api.MessageInfo;
import io.nats.client.api.PublishAck;
import io.nats.client.api.StreamState;
import io.nats.client.impl.Headers;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/// Mail as messages: in the work queue while it lives, in the archive if it ended badly.
final class MailStream {

    /// When it was sent, by its sender's clock.
    static final String FIRST_SEEN = "Pheromone-First-Seen";

    private static final String REASON = "Pheromone-Reason";
    private static final int REASON_LENGTH_MAX = 500;

    /// How many places in the archive are looked at, where somebody has deleted mail from it.
    private static final int ARCHIVE_LOOKS_MAX = 10_000;

    /// What became of a message that was to be stored.
    sealed interface Stored {

        /// It is there now, at this sequence.
        record Now(long sequence) implements Stored {}

        /// Something was there already: the same, or other mail of this id.
        record Before(MessageInfo there) implements Stored {

            boolean is(Envelope envelope) {
                return fingerprint(bytes(there)).equals(Optional.of(envelope.fingerprint()));
            }
        }

        /// The server has had it a moment ago, and has it no more.
        record Gone() implements Stored {}
    }

    private final ReconnectingConnection connection;
    private final Names names;

    MailStream(ReconnectingConnection connection, Names names) {
        this.connection = connection;
        this.names = names;
    }

    /// The bytes of a message; of one that somebody sent without any, none.
    static byte[] bytes(MessageInfo message) {
        byte @Nullable [] bytes = message.getData();
        return bytes == null ? new byte[0] : bytes;
    }

    /// Stores a copy unless something is in its place; returns only once the server has it.
    ///
    /// @param again what makes this try differ for the server, where it forgot what it had; mostly
    ///   empty
    Stored store(Domain domain, Envelope envelope, Instant sentAt, String again)
            throws IOException {
        String subject = names.mail(domain, envelope.priority(), envelope.id());
        Headers headers = new Headers().add(FIRST_SEEN, sentAt.toString());
        String key = domain + "|" + envelope.id() + "|" + envelope.hash() + again;
        try {
            PublishAck ack = connection.store(subject, headers, envelope.bytes(), 0, key);
            if (!ack.isDuplicate()) {
                return new Stored.Now(ack.getSeqno());
            }
        } catch (RefusedException e) {
            if (!e.is(RefusedException.WRONG_LAST_SEQUENCE)) {
                throw e;
            }
        }
        Optional<MessageInfo> there = connection.last(names.mailStream(), subject);
        return there.isPresent() ? new Stored.Before(there.get()) : new Stored.Gone();
    }

    // Mail that has no right to its id is first kept in the archive as a conflict, then somebody
    // looks once more whose the id is, and only then the mail is removed. A sender to whom a free
    // id was given looks into the archive afterwards. So one of the two notices the other.

    /// Keeps a copy as one that has no right to its id; it is not removed yet.
    void condemn(Domain domain, EnvelopeId id, long sequence, byte[] bytes) throws IOException {
        String name = unclaimedName(id, sequence);
        boolean _ = archive(domain, State.CONFLICT, name, bytes, Why.ID_TAKEN.text(id));
    }

    /// Whether a copy was kept as one that has no right to its id.
    boolean isCondemned(Domain domain, EnvelopeId id, long sequence) throws IOException {
        return condemned(domain, id, sequence).isPresent();
    }

    /// Undoes [#condemn], for a copy that turned out to have a right to its id.
    void pardon(Domain domain, EnvelopeId id, long sequence) throws IOException {
        Optional<MessageInfo> kept = condemned(domain, id, sequence);
        if (kept.isPresent()) {
            boolean _ = delete(names.archiveStream(), kept.get().getSeq());
        }
    }

    private Optional<MessageInfo> condemned(Domain domain, EnvelopeId id, long sequence)
            throws IOException {
        String name = unclaimedName(id, sequence);
        return connection.last(names.archiveStream(), names.archived(domain, State.CONFLICT, name));
    }

    /// What mail is called in the archive that nobody had claimed.
    static String unclaimedName(EnvelopeId id, long sequence) {
        return id + "-" + sequence;
    }

    /// Takes back a copy that should not have been stored. Whoever was handed it meanwhile sees
    /// that from its record.
    ///
    /// @return false if somebody else has removed the copy
    boolean takeBack(long sequence) throws IOException {
        return delete(names.mailStream(), sequence);
    }

    private boolean delete(String streamName, long sequence) throws IOException {
        AtomicInteger tries = new AtomicInteger();
        try {
            return connection.ask(() -> {
                tries.incrementAndGet();
                return connection.management().deleteMessage(streamName, sequence);
            });
        } catch (RefusedException e) {
            // The message is gone. After a lost answer that was our own doing.
            return tries.get() > 1;
        }
    }

    /// Removes the copy of a life that has ended, if it is still there, and keeps it.
    void clear(Domain domain, EnvelopeId id, MailRecord ended) throws IOException {
        Optional<MessageInfo> left = there(domain, id, ended.sequence());
        if (left.isPresent()
                && fingerprint(bytes(left.get())).equals(Optional.of(ended.life().mail()))) {
            archive(domain, id, ended.sequence(), ended.life(), bytes(left.get()));
            boolean _ = takeBack(ended.sequence());
        }
    }

    /// Whether the copy of this id at `sequence` is still there.
    boolean isThere(Domain domain, EnvelopeId id, long sequence) throws IOException {
        return there(domain, id, sequence).isPresent();
    }

    /// A stream that was made anew has other mail at an old sequence.
    private Optional<MessageInfo> there(Domain domain, EnvelopeId id, long sequence)
            throws IOException {
        return sequence <= 0
                ? Optional.empty()
                : connection
                        .at(names.mailStream(), sequence)
                        .filter(message -> names.isMail(message.getSubject(), domain, id));
    }

    /// The copy at `sequence`, if it is still there.
    Optional<byte[]> at(long sequence) throws IOException {
        return connection.at(names.mailStream(), sequence).map(MailStream::bytes);
    }

    private static Optional<ContentHash> fingerprint(byte[] bytes) {
        try {
            return Optional.of(Envelope.parse(bytes).fingerprint());
        } catch (MalformedEnvelopeException e) {
            return Optional.empty();
        }
    }

    /// The mail of this id, if it is not finished; its class is part of its place, and is tried
    /// out.
    Optional<byte[]> find(Domain domain, EnvelopeId id) throws IOException {
        for (Priority priority : Priority.values()) {
            Optional<MessageInfo> message =
                    connection.last(names.mailStream(), names.mail(domain, priority, id));
            if (message.isPresent()) {
                return message.map(MailStream::bytes);
            }
        }
        return Optional.empty();
    }

    /// The first copy for `domain` that is not before `sequence`.
    Optional<MessageInfo> next(Domain domain, long sequence) throws IOException {
        return connection.next(names.mailStream(), sequence, names.mailOf(domain));
    }

    /// Keeps the copy at `sequence`, whose life ended otherwise than done, under its id; or under
    /// another name, if other mail is kept there that had this id before.
    void archive(Domain domain, EnvelopeId id, long sequence, Life ended, byte[] bytes)
            throws IOException {
        State state = ended.state();
        String name = id.toString();
        if (archive(domain, state, name, bytes, ended.note())) {
            return;
        }
        Optional<MessageInfo> kept =
                connection.last(names.archiveStream(), names.archived(domain, state, name));
        if (kept.isEmpty() || !Arrays.equals(bytes(kept.get()), bytes)) {
            boolean _ = archive(domain, state, unclaimedName(id, sequence), bytes, ended.note());
        }
    }

    /// Keeps mail that ended otherwise than done. Doing so twice keeps it once.
    ///
    /// @return whether nothing was kept under this name before
    boolean archive(Domain domain, State state, String name, byte[] bytes, String reason)
            throws IOException {
        StringBuilder line = new StringBuilder();
        reason.chars()
                .limit(REASON_LENGTH_MAX)
                // Headers are ASCII lines.
                .forEach(c -> line.append(c >= ' ' && c < 0x7f ? (char) c : '?'));
        try {
            var _ =
                    connection.store(
                            names.archived(domain, state, name),
                            new Headers().add(REASON, line.toString()),
                            bytes,
                            0,
                            "");
            return true;
        } catch (RefusedException e) {
            if (!e.is(RefusedException.WRONG_LAST_SEQUENCE)) {
                throw e;
            }
            return false;
        }
    }

    /// What is kept so, the newest first.
    List<Ended> archived(int countMax) throws IOException {
        StreamState kept =
                connection
                        .ask(() -> connection.management().getStreamInfo(names.archiveStream()))
                        .getStreamState();
        List<Ended> found = new ArrayList<>();
        int looks = 0;
        for (long at = kept.getLastSequence();
                at >= Math.max(1, kept.getFirstSequence())
                        && found.size() < countMax
                        && looks < ARCHIVE_LOOKS_MAX;
                at--) {
            looks++;
            connection
                    .at(names.archiveStream(), at)
                    .flatMap(MailStream::ended)
                    .ifPresent(found::add);
        }
        return found;
    }

    private static Optional<Ended> ended(MessageInfo message) {
        List<String> parts = Names.archivedParts(message.getSubject());
        @Nullable Headers headers = message.getHeaders();
        @Nullable String reason = headers == null ? null : headers.getFirst(REASON);
        return parts.isEmpty()
                ? Optional.empty()
                : Ended.of(
                        parts.get(0),
                        parts.get(1),
                        parts.get(2),
                        bytes(message),
                        reason == null ? "" : reason,
                        message.getTime().toInstant(),
                        message.getSubject());
    }
}
