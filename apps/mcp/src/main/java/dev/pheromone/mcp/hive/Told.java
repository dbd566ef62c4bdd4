package dev.pheromone.mcp.hive;

import dev.pheromone.text.Json;

/// What a tool has to say: to a model in `text`, and to a program in `json`.
///
/// @param isError whether the call did not do what was asked
/// @param unsent done if nobody can be told
record Told(String text, Json.Obj json, boolean isError, Runnable unsent) {

    static Told of(String text, Json.Obj json) {
        return new Told(text, json, false, () -> {});
    }

    static Told failed(String text, Json.Obj json) {
        return new Told(text, json, true, () -> {});
    }

    Told orElse(Runnable undo) {
        return new Told(text, json, isError, undo);
    }

    /// This, with `line` below it.
    Told plus(String line) {
        return new Told(text + line + "\n", json, isError, unsent);
    }

    /// The result of `tools/call`.
    Json.Obj result() {
        Json.Obj content = Json.obj().put("type", "text").put("text", text);
        Json.Obj result =
                Json.obj().put("content", Json.arr(content)).put("structuredContent", json);
        return isError ? result.put("isError", true) : result;
    }
}
