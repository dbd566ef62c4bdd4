package dev.pheromone;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// A way to move envelopes: files in one folder, or a network.
public interface Transport extends AutoCloseable {

    /// How far it carries mail. What may not go so far is not sent: each copy is `BeyondConsent`.
    Reach reach();

    /// What it promises beyond what every transport does: nothing, unless it says so.
    default Set<Capability> capabilities() {
        return Set.of();
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
    /// @throws AwayException if the other side does not answer; whether it arrived is not known
    Receipt send(Envelope envelope) throws IOException, NoSuchInboxException;

    /// Sends one copy, to `inbox` alone, whoever else it is addressed to: for what carries mail on
    /// from where its other copies have arrived already.
    ///
    /// @throws NoSuchInboxException if there is no such inbox; then nothing was sent
    default Receipt send(Envelope envelope, Domain inbox) throws IOException, NoSuchInboxException {
        if (envelope.to().size() == 1 && envelope.to().getFirst().domain().equals(inbox)) {
            return send(envelope);
        }
        throw new IOException(
                "envelope "
                        + envelope.id()
                        + " is for several, and this transport can't send to one of them");
    }

    /// Makes an inbox, unless there is one. A transport whose inboxes are the affair of whoever
    /// runs the other side fails.
    default void createInbox(Domain inbox) throws IOException {
        throw new IOException(
                "inbox " + inbox + ": this transport makes none, expected one on the other side");
    }

    /// The inboxes there are, by name.
    List<Domain> domains() throws IOException;

    /// A copy of an envelope, wherever it is in its life; empty if there is none, or if the
    /// transport shows mail only to whoever takes it.
    default Optional<Found> find(EnvelopeId id) throws IOException {
        return Optional.empty();
    }

    /// A copy of an envelope, its inbox, and what became of it so far.
    record Found(Envelope envelope, Domain inbox, State state) {}

    /// What became of the copy in `inbox`; empty if there never was one, as far as is known. What
    /// is finished counts as long as sending it again is a `Duplicate`.
    default Optional<State> stateOf(EnvelopeId id, Domain inbox) throws IOException {
        return find(id).filter(found -> found.inbox().equals(inbox)).map(Found::state);
    }

    /// What ended otherwise than done, at most `countMax` of it, the newest first where it is known
    /// when that was. Empty if the transport does not show it: then whoever runs the other side is
    /// to be asked.
    default Optional<List<Ended>> ended(int countMax) throws IOException {
        return Optional.empty();
    }

    /// What is not as it should be on the other side although it answers, for whoever looks after
    /// it; empty if nothing is known to be.
    ///
    /// @throws IOException if it would not take mail now, and why
    default List<String> troubles() throws IOException {
        return List.of();
    }

    /// The inbox of `domain`.
    Inbox inbox(Domain domain) throws IOException, NoSuchInboxException;

    @Override
    void close() throws IOException;
}
