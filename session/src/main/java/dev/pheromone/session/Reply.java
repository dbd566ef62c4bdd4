package dev.pheromone.session;

import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/// What a caller answers the sender of claimed mail, in one step with a word on the claim.
///
/// The reply is sent before the claim is settled: if the process dies between the two, the work is
/// tried again, and the reply, which has the same id then, is not sent twice.
public interface Reply {

    /// The text, to be kept while a lock forbids to send it.
    byte[] body() throws IOException;

    /// Sends the reply to `request`; fails if it could not be sent.
    ///
    /// @param id the id that the last reply has however often the work is done; null for a report
    ///   on the way, of which there may be several
    void send(Envelope request, @Nullable EnvelopeId id) throws IOException;
}
