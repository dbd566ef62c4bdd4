package dev.pheromone.nats;

import dev.pheromone.address.Domain;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.envelope.EnvelopeId;

import io.nats.client.PurgeOptions;
import io.nats.client.api.MessageInfo;
import io.nats.client.api.PublishAck;
import io.nats.client.impl.Headers;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalLong;

/// The records of all copies, in a key-value bucket: each is changed only by who has seen its last
/// revision, so that of several who try one wins.
///
/// Read from the leader of the bucket's stream, never from a follower, which may lag behind.
final class MailRecords {

    /// The revision of a record that is not there.
    static final long UNWRITTEN = 0;

    /// A record, and the revision that it has.
    record Versioned(MailRecord record, long revision) {

        /// Whether this is the record of the life that began with `mark`, and that life has ended
        /// and left its id free.
        boolean leavesFree(Mark mark, EnvelopeId id) {
            return revision > mark.revision()
                    && record.life().mail().equals(mark.mail())
                    && record.leavesFree(id);
        }
    }

    private final ReconnectingConnection connection;
    private final Names names;

    MailRecords(ReconnectingConnection connection, Names names) {
        this.connection = connection;
        this.names = names;
    }

    /// Several questions at once.
    Exchange exchange() throws IOException {
        return connection.exchange();
    }

    Optional<Versioned> find(Domain domain, EnvelopeId id) throws IOException {
        return versioned(connection.last(names.recordStream(), names.record(domain, id)));
    }

    private static Optional<Versioned> versioned(Optional<MessageInfo> found) throws IOException {
        return found.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new Versioned(
                                MailRecord.parse(found.get().getData()), found.get().getSeq()));
    }

    /// Changes a record whose last revision is `revision`, 0 for none; empty if it is not.
    OptionalLong replace(Domain domain, EnvelopeId id, MailRecord next, long revision)
            throws IOException {
        try {
            return OptionalLong.of(
                    connection
                            .store(
                                    names.record(domain, id),
                                    new Headers(),
                                    next.bytes(),
                                    revision,
                                    "")
                            .getSeqno());
        } catch (RefusedException e) {
            if (e.is(RefusedException.WRONG_LAST_SEQUENCE)) {
                return OptionalLong.empty();
            }
            throw e;
        }
    }

    /// Forgets a record that should not have been made, if it has not been changed since.
    void forget(Domain domain, EnvelopeId id, long revision) throws IOException {
        purge(names.record(domain, id), revision);
    }

    /// Whose mail an id belongs to.
    ///
    /// @param isNew whether it was marked just now
    /// @param revision by which this mark is told from a later one
    record Mark(ContentHash mail, boolean isNew, long revision) {}

    /// Marks an id as that of `mail`, unless it is marked already; gives the mark that there is.
    /// Begun now and waited for later.
    Exchange.Later<Mark> markSoon(
            Exchange exchange, Domain domain, EnvelopeId id, ContentHash mail) {
        String subject = names.mark(domain, id);
        Exchange.Later<PublishAck> stored =
                connection.storeSoon(
                        exchange,
                        subject,
                        mail.toString().getBytes(StandardCharsets.US_ASCII),
                        UNWRITTEN);
        return () -> {
            try {
                return new Mark(mail, true, stored.get().getSeqno());
            } catch (RefusedException e) {
                if (!e.is(RefusedException.WRONG_LAST_SEQUENCE)) {
                    throw e;
                }
            }
            return existing(domain, id);
        };
    }

    /// Marks an id as that of `mail` if its last mark has this revision, 0 for none; says whether
    /// it had.
    boolean remark(Domain domain, EnvelopeId id, ContentHash mail, long revision)
            throws IOException {
        byte[] bytes = mail.toString().getBytes(StandardCharsets.US_ASCII);
        try {
            var _ = connection.store(names.mark(domain, id), new Headers(), bytes, revision, "");
            return true;
        } catch (RefusedException e) {
            if (!e.is(RefusedException.WRONG_LAST_SEQUENCE)) {
                throw e;
            }
            return false;
        }
    }

    private Mark existing(Domain domain, EnvelopeId id) throws IOException {
        return known(domain, id)
                .orElseThrow(() -> new IOException("mark of " + id + ": gone, expected it"));
    }

    /// The mark that there is.
    Optional<Mark> known(Domain domain, EnvelopeId id) throws IOException {
        Optional<MessageInfo> found = connection.last(names.recordStream(), names.mark(domain, id));
        return found.isEmpty()
                ? Optional.empty()
                : Optional.of(new Mark(marked(found.get().getData()), false, found.get().getSeq()));
    }

    /// What somebody knows to be marked; it may be out of date.
    Exchange.Later<Optional<ContentHash>> lastKnownMark(
            Exchange exchange, Domain domain, EnvelopeId id) {
        Exchange.Later<Optional<byte[]>> found =
                connection.lastKnownSoon(exchange, names.recordStream(), names.mark(domain, id));
        return () -> {
            Optional<byte[]> bytes = found.get();
            return bytes.isEmpty() ? Optional.empty() : Optional.of(marked(bytes.get()));
        };
    }

    private static ContentHash marked(byte[] bytes) throws IOException {
        String text = new String(bytes, StandardCharsets.UTF_8);
        try {
            return ContentHash.parse(text);
        } catch (IllegalArgumentException e) {
            throw new IOException("mark: " + e.getMessage(), e);
        }
    }

    /// Stores these bytes under a name that nothing else has, and takes them away again.
    void tryRoom(byte[] bytes, EnvelopeId name) throws IOException {
        String subject = names.probe(name);
        PublishAck stored = connection.store(subject, new Headers(), bytes, UNWRITTEN, "");
        purge(subject, stored.getSeqno());
    }

    /// Takes a mark away from mail that nobody vouched for: whoever really has this id may still
    /// use it.
    void unmark(Domain domain, EnvelopeId id, Mark mark) throws IOException {
        purge(names.mark(domain, id), mark.revision());
    }

    /// Asked twice, it takes away no more than once: what came since is younger than `last`.
    private void purge(String subject, long last) throws IOException {
        PurgeOptions one = PurgeOptions.builder().subject(subject).sequence(last + 1).build();
        var _ =
                connection.ask(
                        () -> connection.management().purgeStream(names.recordStream(), one));
    }
}
