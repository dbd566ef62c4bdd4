package dev.pheromone.rse;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Domain;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Consent;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.text.Json;

import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/// The events that tell how far the notice of one copy of an envelope came to a session, between
/// the copy's being stored and its being taken. Each step has evidence of its own: no later step is
/// concluded from an earlier one.
public enum Notice {
    /// A session was told that there is mail, in a way that does not show whether the text arrived.
    ANNOUNCED("mail_announced"),
    /// A hook of the session printed a text with a nonce into it.
    HANDED_OVER("mail_handed_over"),
    /// A model answered a request that had the nonce in it.
    SEEN("mail_seen");

    private static final String BY = "by";
    private static final String NONCE = "nonce";

    private final String type;

    Notice(String type) {
        this.type = type;
    }

    /// The type on the wire.
    public String type() {
        return type;
    }

    /// The step that `event` tells of, if it tells of one.
    public static Optional<Notice> of(RseEvent event) {
        for (Notice step : values()) {
            if (step.type.equals(event.type()) && event.about().isPresent()) {
                return Optional.of(step);
            }
        }
        return Optional.empty();
    }

    /// How that is known: what rang, or what showed that the mail was seen.
    public static String by(RseEvent event) {
        return event.data().optionalText(BY).orElse("");
    }

    /// The event of this step.
    ///
    /// @param session who was told
    /// @param by how: what rang, or what shows it
    /// @param nonceHash the SHA-256 of the nonce, in hexadecimal digits; empty if there was none
    public RseEvent event(
            Instant now,
            Actor session,
            EnvelopeId id,
            Domain inbox,
            Lane lane,
            Consent consent,
            String by,
            String nonceHash) {
        Json.Obj data = Json.obj().put("id", id.text()).put("inbox", inbox.name()).put(BY, by);
        return RseEvent.of(
                        now,
                        type,
                        lane,
                        session.name(),
                        nonceHash.isEmpty() ? data : data.put(NONCE, nonceHash))
                .withConsent(consent);
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
