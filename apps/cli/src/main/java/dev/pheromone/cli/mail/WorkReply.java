package dev.pheromone.cli.mail;

import dev.pheromone.address.Address;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.MailOptions;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.session.Composer;
import dev.pheromone.session.OpenHive;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/// What whoever works on an envelope answers its sender.
///
/// It is sent before the work is settled: if we die between the two, the work is done again, and
/// the answer, which has the same id then, is not sent twice.
public final class WorkReply {

    private final Invocation call;
    private final OpenHive hive;

    public WorkReply(Invocation call, OpenHive hive) {
        this.call = call.like(MailOptions.spec());
        this.hive = hive;
    }

    /// Where the answer goes.
    public Address recipient(Envelope request) throws IOException {
        return ReplyCommand.recipient(request, hive);
    }

    /// The body that was typed for it.
    byte[] typedBody(String typed) throws IOException {
        return new TypedMail(call, hive).typedBody(typed);
    }

    /// The answer to `request`.
    ///
    /// @param id the one that the answer has however often the work is done, or null for a report
    ///   on the way, of which there may be several
    public Envelope compose(Envelope request, Address to, byte[] body, @Nullable EnvelopeId id)
            throws IOException {
        return new Composer(call, hive)
                .reply(request, to, new TypedMail(call, hive).draft(body), id);
    }

    /// Sends it; fails if it was not delivered.
    SentAnswer send(Envelope reply) throws IOException {
        return new Mailing(call, hive).send(reply);
    }

    /// Sends it, and tells what became of it.
    public SentAnswer post(Envelope reply) throws IOException {
        return new Mailing(call, hive).post(reply);
    }
}
