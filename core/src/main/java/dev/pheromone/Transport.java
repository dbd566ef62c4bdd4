package dev.pheromone;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/// A carrier that stores mail itself, in files of one folder or on a server, and hands out each
/// copy to one worker at a time. A copy is `Delivered` when it is stored there, whoever receives it
/// later.
public interface Transport extends Carrier {

    /// How late a reader may see what has happened: at the next call, unless the transport says
    /// otherwise.
    default Lag lag() {
        return Lag.NONE;
    }

    /// Makes an inbox, unless there is one. A transport whose inboxes are the affair of whoever
    /// runs the other side fails.
    default void createInbox(Domain inbox) throws IOException {
        throw new IOException(
                "inbox " + inbox + ": this transport makes none, expected one on the other side");
    }

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

    /// The inbox of `domain`.
    Inbox inbox(Domain domain) throws IOException, NoSuchInboxException;

    /// Joins as `self`, who claims each copy, and finishes it when the receiver has it.
    @Override
    default Reception recv(Actor self, Collection<Domain> inboxes, Receiver receiver)
            throws IOException, NoSuchInboxException {
        for (Domain inbox : inboxes) {
            var _ = inbox(inbox);
        }
        return new ClaimedReception(this, self, List.copyOf(inboxes), receiver);
    }
}
