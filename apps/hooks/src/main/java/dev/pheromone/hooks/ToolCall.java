package dev.pheromone.hooks;

import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/// What an agent program says about a tool that it is about to use. Fields that we don't need are
/// passed over.
///
/// @param hasTool whether it speaks of a tool at all
record ToolCall(String event, boolean hasTool, String tool, Json.Obj input, Path folder) {

    /// Parses the program's JSON; `event` and `folder` hold where it names none.
    static ToolCall parse(byte[] json, String event, Path folder)
            throws MalformedToolCallException {
        Json parsed;
        try {
            parsed = Json.parse(json);
        } catch (MalformedJsonException e) {
            throw new MalformedToolCallException("the tool call is not JSON: " + e.getMessage());
        }
        if (!(parsed instanceof Json.Obj call)) {
            throw new MalformedToolCallException("the tool call is not a JSON object");
        }
        Json.Obj input =
                call.get("tool_input").orElse(Json.obj()) instanceof Json.Obj given
                        ? given
                        : Json.obj().put("input", call.get("tool_input").orElse(Json.obj()));
        return new ToolCall(
                call.optionalText("hook_event_name").orElse(event),
                call.get("tool_name").isPresent() || call.get("tool_input").isPresent(),
                call.optionalText("tool_name").orElse(""),
                input,
                folder(call, folder));
    }

    private static Path folder(Json.Obj call, Path otherwise) throws MalformedToolCallException {
        if (call.get("cwd").isPresent() && !(call.get("cwd").get() instanceof Json.Str)) {
            throw new MalformedToolCallException("cwd: found something that is not a text");
        }
        String text = call.optionalText("cwd").orElse("");
        try {
            return text.isEmpty() ? otherwise : otherwise.resolve(text);
        } catch (InvalidPathException e) {
            throw new MalformedToolCallException("cwd: found something that is not a path");
        }
    }
}
