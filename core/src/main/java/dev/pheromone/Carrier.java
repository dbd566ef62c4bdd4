package dev.pheromone;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.address.Reach;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Carries envelopes to whoever keeps their inboxes.
///
/// A carrier that is not a [Transport] stores nothing: a copy is `Delivered` when its receiver has
/// confirmed that the copy is stored.
public interface Carrier extends AutoCloseable {

    /// How far it carries mail. What may not go so far is not sent: each copy is `BeyondConsent`.
    Reach reach();

    /// What it promises beyond what every carrier does: nothing, unless it says so.
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

    /// The inboxes that mail can be sent to, by name, as far as is known.
    List<Domain> domains() throws IOException;

    /// What is not as it should be on the other side although it answers, for whoever looks after
    /// it; empty if nothing is known to be.
    ///
    /// @throws IOException if it would not take mail now, and why
    default List<String> troubles() throws IOException {
        return List.of();
    }

    /// Joins as `self`, who receives what is sent to `inboxes`.
    ///
    /// @throws NoSuchInboxException if there is no such inbox, where inboxes are made
    Reception recv(Actor self, Collection<Domain> inboxes, Receiver receiver)
            throws IOException, NoSuchInboxException;

    @Override
    void close() throws IOException;

    /// Stores copies that were carried to it. Several threads may ask it at once.
    @FunctionalInterface
    interface Receiver {

        /// Stores one copy and says what became of that copy, which its sender is told. [Fate] says
        /// which copies are offered again.
        ///
        /// @throws IOException if the copy can't be stored now; then it is offered again later
        /// @throws NoSuchInboxException if the inbox is not there, which the sender is told
        SendResult receive(Envelope envelope, Domain inbox)
                throws IOException, NoSuchInboxException;

        /// Where a copy is in its life that this receiver has stored; empty if nobody knows.
        default Optional<State> stateOf(EnvelopeId id, Domain inbox) throws IOException {
            return Optional.empty();
        }

        /// As `receive`, with a missing inbox as a result.
        default SendResult answer(Envelope envelope, Domain inbox) throws IOException {
            try {
                return receive(envelope, inbox);
            } catch (NoSuchInboxException e) {
                return new SendResult.Rejected(
                        SendResult.Ground.NO_SUCH_INBOX, String.valueOf(e.getMessage()));
            }
        }
    }

    /// What a receiver's answer means for the copy.
    enum Fate {
        /// The receiver has it.
        TAKEN,
        /// The receiver does not want it, and said why.
        REFUSED,
        /// The receiver could not store it for sure: it is offered again.
        NOT_NOW;

        /// The fate of a copy of which its receiver said `result`.
        public static Fate of(SendResult result) {
            return switch (result) {
                case SendResult.Delivered _,
                        SendResult.Duplicate _,
                        SendResult.Parked _,
                        SendResult.Spooled _ ->
                        TAKEN;
                case SendResult.Withheld(var _, var _, var embargo) ->
                        embargo.isEmpty() ? NOT_NOW : TAKEN;
                case SendResult.Refused _,
                        SendResult.Conflict _,
                        SendResult.Rejected _,
                        SendResult.NotPublic _,
                        SendResult.BeyondConsent _ ->
                        REFUSED;
                case SendResult.Unconfirmed _, SendResult.Unanswered _, SendResult.Failed _ ->
                        NOT_NOW;
            };
        }
    }

    /// One stay as the receiver of some inboxes.
    interface Reception extends AutoCloseable {

        /// Receives until the stay is closed, or ended by the other side, and returns why. A
        /// connection that is lost is made again.
        Ending run() throws InterruptedException;

        /// Ends the stay. A copy that is being stored is stored before this returns; what comes
        /// later is for the next receiver.
        @Override
        void close() throws IOException;
    }

    /// Why a reception is over.
    sealed interface Ending {

        /// It was closed.
        record Closed() implements Ending {}

        /// Somebody else receives for the inbox now. Who is taken over does not come back by
        /// itself.
        record TakenOver(String reason) implements Ending {}

        /// The other side does not let us receive, and trying again would change nothing.
        record Refused(String reason) implements Ending {}
    }
}
