package dev.pheromone.session.mail;

import java.io.IOException;

/// What a caller answers the sender of claimed mail, in one step with a word on the claim.
///
/// The reply is sent before the claim is settled: if the process dies between the two, the work is
/// tried again, and the reply, which has the same id then, is not sent twice.
public interface Reply {

    /// What the caller says of the reply, and its text, which is kept while a lock forbids to send
    /// it.
    Draft draft() throws IOException;

    /// Hears what became of the reply. Whoever throws here keeps the claim from being settled.
    void sent(Sent sent);
}
