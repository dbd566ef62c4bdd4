package dev.pheromone;

import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/// A way to move envelopes: files in one folder, or a network.
public interface Transport extends AutoCloseable {

    /// How far it carries mail. What may not go so far is not sent: each copy is `BeyondConsent`.
    Reach reach();

    /// What it promises beyond what every transport does: all of it, unless it says less.
    default Set<Capability> capabilities() {
        return EnumSet.allOf(Capability.class);
    }

    /// Sends one copy to each inbox that `to` resolves to. A copy that is `Delivered` survives a
    /// power cut, if that is among the capabilities.
    ///
    /// An inbox that is too full may hold up its senders for a few seconds, or refuse a copy; so
    /// may it refuse who sends too much.
    ///
    /// Sending the same envelope again is safe: what has arrived already is a `Duplicate`.
    ///
    /// @throws NoSuchInboxException if an address has no inbox; then nothing was sent to anybody
    Receipt send(Envelope envelope) throws IOException, NoSuchInboxException;

    /// The inboxes there are, by name.
    List<Domain> domains() throws IOException;

    /// The inbox of `domain`.
    Inbox inbox(Domain domain) throws IOException, NoSuchInboxException;

    @Override
    void close() throws IOException;
}
