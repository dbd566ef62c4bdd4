package dev.pheromone.nats;

import dev.pheromone.Domain;
import dev.pheromone.EnvelopeId;

import io.nats.client.PurgeOptions;
import io.nats.client.api.MessageInfo;
import io.nats.client.api.PublishAck;

import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;

/// The records of all copies, in a key-value bucket: each is changed only by who has seen its last
/// revision, so that of several who try one wins.
///
/// Read from the leader of the bucket's stream, never from a follower, which may lag behind.
final class MailRecords {

    private static final long UNWRITTEN = 0;

    /// A record, and the revision that it has.
    record Versioned(MailRecord record, long revision) {}

    private final Link link;
    private final Names names;

    MailRecords(Link link, Names names) {
        this.link = link;
        this.names = names;
    }

    Optional<Versioned> find(Domain domain, EnvelopeId id) throws IOException {
        return versioned(link.last(names.recordStream(), names.record(domain, id)));
    }

    private static Optional<Versioned> versioned(Optional<MessageInfo> found) throws IOException {
        return found.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new Versioned(
                                MailRecord.parse(found.get().getData()), found.get().getSeq()));
    }

    /// Makes a record, unless there is one already; gives the one that there is.
    Versioned create(Domain domain, EnvelopeId id, MailRecord fresh) throws IOException {
        return createSoon(domain, id, fresh).get();
    }

    /// The same, begun now and waited for later.
    Link.Later<Versioned> createSoon(Domain domain, EnvelopeId id, MailRecord fresh) {
        Link.Later<PublishAck> stored =
                link.storeSoon(names.record(domain, id), fresh.bytes(), UNWRITTEN);
        return () -> {
            try {
                return new Versioned(fresh, stored.get().getSeqno());
            } catch (RefusedException e) {
                if (!e.is(RefusedException.WRONG_LAST_SEQUENCE)) {
                    throw e;
                }
            }
            return find(domain, id)
                    .orElseThrow(() -> new IOException("record of " + id + ": gone, expected it"));
        };
    }

    /// Changes a record whose last revision is `revision`; empty if it is not.
    OptionalLong replace(Domain domain, EnvelopeId id, MailRecord next, long revision)
            throws IOException {
        return write(domain, id, next, revision);
    }

    private OptionalLong write(Domain domain, EnvelopeId id, MailRecord record, long last)
            throws IOException {
        try {
            return OptionalLong.of(
                    link.store(
                                    names.record(domain, id),
                                    new io.nats.client.impl.Headers(),
                                    record.bytes(),
                                    last,
                                    "")
                            .getSeqno());
        } catch (RefusedException e) {
            if (e.is(RefusedException.WRONG_LAST_SEQUENCE)) {
                return OptionalLong.empty();
            }
            throw e;
        }
    }

    /// Forgets a copy that nobody vouched for: whoever really has this id may still use it.
    void forget(Domain domain, EnvelopeId id) throws IOException {
        PurgeOptions one = PurgeOptions.subject(names.record(domain, id));
        var _ = link.ask(() -> link.management().purgeStream(names.recordStream(), one));
    }
}
