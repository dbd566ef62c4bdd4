package dev.pheromone.nats;

import dev.pheromone.Domain;
import dev.pheromone.EnvelopeId;

import io.nats.client.PurgeOptions;
import io.nats.client.api.MessageInfo;

import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;

/// The records of all copies, in a key-value bucket: each is changed only by who has seen its last
/// revision, so that of several who try one wins.
///
/// Read from the leader of the bucket's stream, never from a follower, which may lag behind.
final class MailRecords {

    /// A record, and the revision that it has.
    ///
    /// @param created whether this call made it
    record Versioned(MailRecord record, long revision, boolean created) {}

    private final Link link;
    private final Names names;

    MailRecords(Link link, Names names) {
        this.link = link;
        this.names = names;
    }

    Optional<Versioned> find(Domain domain, EnvelopeId id) throws IOException {
        Optional<MessageInfo> found = link.last(names.recordStream(), names.record(domain, id));
        return found.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new Versioned(
                                MailRecord.parse(found.get().getData()),
                                found.get().getSeq(),
                                false));
    }

    /// Makes a record, unless there is one already; gives the one that there is.
    Versioned create(Domain domain, EnvelopeId id, MailRecord fresh) throws IOException {
        OptionalLong revision = write(domain, id, fresh, 0);
        if (revision.isPresent()) {
            return new Versioned(fresh, revision.getAsLong(), true);
        }
        return find(domain, id)
                .orElseThrow(() -> new IOException("record of " + id + ": gone, expected it"));
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
