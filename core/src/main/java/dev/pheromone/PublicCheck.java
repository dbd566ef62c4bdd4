package dev.pheromone;

import dev.pheromone.envelope.Consent;
import dev.pheromone.envelope.Envelope;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// Looks through mail before it becomes public. Every transport asks its check about each envelope
/// with `consent: public`, however far the transport itself reaches: once a copy is stored under
/// that consent, other transports carry it on.
@FunctionalInterface
public interface PublicCheck {

    /// Refuses all public mail: the check of a transport that was given none.
    PublicCheck REFUSES_ALL =
            // No lambda: the start-up cache keeps none of an interface's own.
            new PublicCheck() {
                @Override
                public Optional<SendResult.NotPublic> objection(Envelope envelope) {
                    return Optional.of(
                            new SendResult.NotPublic(
                                    List.of(),
                                    "nothing looks through public mail here; open the transport"
                                            + " with a PublicCheck, such as RedactionCheck of the"
                                            + " module redaction"));
                }
            };

    /// Why `envelope`, which is public, may not go as it is; empty if it may. The answer names the
    /// kinds of what was found, never what was found.
    Optional<SendResult.NotPublic> objection(Envelope envelope) throws IOException;

    /// What becomes of each copy of `envelope` that may not go as it is; empty if the envelope may
    /// go, or is not public.
    default Optional<SendResult.NotPublic> refusal(Envelope envelope) throws IOException {
        return envelope.consent() == Consent.PUBLIC ? objection(envelope) : Optional.empty();
    }
}
