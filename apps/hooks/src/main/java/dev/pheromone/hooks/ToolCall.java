package dev.pheromone.hooks;

import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
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
        Json input = either(call, "tool_input", "toolArgs");
        Json tool = either(call, "tool_name", "toolName");
        return new ToolCall(
                call.optionalText("hook_event_name").orElse(event),
                tool != null || input != null,
                tool instanceof Json.Str(String name) ? name : "",
                input(input == null ? Json.obj() : input),
                folder(call, folder));
    }

    /// Copilot has names of its own for the two fields.
    private static @Nullable Json either(Json.Obj call, String name, String copilots) {
        return call.get(name).or(() -> call.get(copilots)).orElse(null);
    }

    /// The arguments as an object. Some versions of Copilot send its text.
    private static Json.Obj input(Json given) {
        if (given instanceof Json.Obj object) {
            return object;
        }
        try {
            if (given instanceof Json.Str(String text)
                    && Json.parse(text.getBytes(StandardCharsets.UTF_8))
                            instanceof Json.Obj inner) {
                return inner;
            }
        } catch (MalformedJsonException e) {
            // Then it is a text, and may be a path or a command.
        }
        return Json.obj().put("input", given);
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
