package dev.pheromone.mcp;

import dev.pheromone.text.Json;

/// The result of a request.
///
/// @param unsent done if the result can't be given to the client
public record Answer(Json.Obj result, Runnable unsent) {

    /// A result with which nothing is lost but the answer.
    public static Answer of(Json.Obj result) {
        return new Answer(result, () -> {});
    }

    Answer with(Json.Obj other) {
        return new Answer(other, unsent);
    }
}
