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

    private final Link link;
    private final Names names;

    MailStream(Link link, Names names) {
        this.link = link;
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
            PublishAck ack = link.store(subject, headers, envelope.bytes(), 0, key);
            if (!ack.isDuplicate()) {
                return new Stored.Now(ack.getSeqno());
            }
        } catch (RefusedException e) {
            if (!e.is(RefusedException.WRONG_LAST_SEQUENCE)) {
                throw e;
            }
        }
        Optional<MessageInfo> there = link.last(names.mailStream(), subject);
        return there.isPresent() ? new Stored.Before(there.get()) : new Stored.Gone();
    }

    /// Clears a place of mail to whose id it has no right.
    void evict(Domain domain, EnvelopeId id, MessageInfo wrong) throws IOException {
        boolean _ =
                archive(
                        domain,
                        State.CONFLICT,
                        unclaimedName(id, wrong.getSeq()),
                        bytes(wrong),
                        "another envelope has this id");
        takeBack(wrong.getSeq());
    }

    /// What mail is called in the archive that nobody had claimed.
    static String unclaimedName(EnvelopeId id, long sequence) {
        return id + "-" + sequence;
    }

    /// Takes back a copy that should not have been stored. Whoever was handed it meanwhile sees
    /// that from its record.
    void takeBack(long sequence) throws IOException {
        try {
            boolean _ =
                    link.ask(() -> link.management().deleteMessage(names.mailStream(), sequence));
        } catch (RefusedException e) {
            // It is gone already.
        }
    }

    /// The copy at `sequence`, if it is still there.
    Optional<byte[]> at(long sequence) throws IOException {
        return link.at(names.mailStream(), sequence).map(MailStream::bytes);
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
                    link.last(names.mailStream(), names.mail(domain, priority, id));
            if (message.isPresent()) {
                return message.map(MailStream::bytes);
            }
        }
        return Optional.empty();
    }

    /// The first copy for `domain` that is not before `sequence`.
    Optional<MessageInfo> next(Domain domain, long sequence) throws IOException {
        return link.next(names.mailStream(), sequence, names.mailOf(domain));
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
                link.last(names.archiveStream(), names.archived(domain, state, name));
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
                    link.store(
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
                link.ask(() -> link.management().getStreamInfo(names.archiveStream()))
                        .getStreamState();
        List<Ended> found = new ArrayList<>();
        int looks = 0;
        for (long at = kept.getLastSequence();
                at >= Math.max(1, kept.getFirstSequence())
                        && found.size() < countMax
                        && looks < ARCHIVE_LOOKS_MAX;
                at--) {
            looks++;
            link.at(names.archiveStream(), at).flatMap(MailStream::ended).ifPresent(found::add);
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
