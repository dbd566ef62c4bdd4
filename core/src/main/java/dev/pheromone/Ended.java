package dev.pheromone;

import dev.pheromone.address.Domain;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Header;
import dev.pheromone.envelope.MalformedEnvelopeException;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.Optional;

/// A copy of an envelope that ended otherwise than done, as a transport keeps it.
///
/// @param reason why it ended so
/// @param at when it ended; null if nobody knows
/// @param id null if it has none
/// @param header null if it is no envelope
/// @param location where it is kept
public record Ended(
        Domain inbox,
        State state,
        String reason,
        @Nullable Instant at,
        @Nullable EnvelopeId id,
        @Nullable Header header,
        String location) {

    /// What may follow an id in a name, to tell two of the same apart.
    private static final char AFTER_ID = '-';

    /// What is kept under a name whose last parts are an inbox, a state, and what begins with the
    /// id if there is one: `code`, `dead`, `01JB…-7`. Empty if it is none of ours.
    public static Optional<Ended> of(
            String inbox,
            String state,
            String name,
            byte[] content,
            String reason,
            @Nullable Instant at,
            String location) {
        Optional<Domain> domain = Domain.find(inbox);
        if (domain.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(
                    new Ended(
                            domain.get(),
                            State.parse(state),
                            reason,
                            at,
                            id(name),
                            header(content),
                            location));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static @Nullable EnvelopeId id(String name) {
        if (EnvelopeId.isId(name)) {
            return EnvelopeId.parse(name);
        }
        int end = name.lastIndexOf(AFTER_ID);
        return end > 0 && EnvelopeId.isId(name.substring(0, end))
                ? EnvelopeId.parse(name.substring(0, end))
                : null;
    }

    private static @Nullable Header header(byte[] content) {
        try {
            return Header.parse(content, content.length);
        } catch (MalformedEnvelopeException e) {
            return null;
        }
    }
}
