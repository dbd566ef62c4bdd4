package dev.pheromone.rse;

import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.util.Optional;
import java.util.OptionalLong;

/// What makes two events the same one: recovery writes an event again when it can't know whether it
/// was written, so counting goes by this. Parts that a writer left out are empty, and `attempt` is
/// then 0.
public record RseKey(String type, String id, String inbox, long attempt, String status) {

    /// The key, for the types that tell one step in the life of one copy of an envelope.
    static Optional<RseKey> of(RseEvent event) {
        Json.Obj data = event.data();
        @Nullable String id =
                switch (event.type()) {
                    case "rsm_envelope_emit",
                            "rsm_envelope_recv",
                            "rsm_envelope_spool",
                            "rsm_envelope_dead",
                            "rsm_envelope_conflict",
                            "rsm_envelope_duplicate",
                            "rsm_envelope_return",
                            "pheromone_expire",
                            "queen_select",
                            "question_asked",
                            "question_answered",
                            "question_defaulted" ->
                            data.optionalText("id").orElse(null);
                    // By when it began: an inbox may come under it again and again.
                    case "backpressure" -> data.optionalText("since").orElse(null);
                    case "worker_ack" -> data.optionalText("ref").orElse(null);
                    default -> null;
                };
        if (id == null) {
            return Optional.empty();
        }
        // A foreign emit names no inbox, but each copy's path differs.
        String inbox = data.optionalText("inbox").or(() -> data.optionalText("path")).orElse("");
        OptionalLong attempt = data.optionalNumber("attempt");
        String status = data.optionalText("status").orElse("");
        return Optional.of(new RseKey(event.type(), id, inbox, attempt.orElse(0), status));
    }
}
