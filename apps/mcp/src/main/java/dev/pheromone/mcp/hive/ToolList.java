package dev.pheromone.mcp.hive;

import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The tools that there are: what clients are told of them stands in `tools.json`, what they do in
/// a class each. A tool that is added needs a place in both.
final class ToolList {

    private final Json.Arr told;
    private final Map<String, Json.Obj> schemas = new HashMap<>();

    ToolList() {
        this.told = read();
        for (Json item : told.items()) {
            if (item instanceof Json.Obj tool) {
                schemas.put(tool.text("name"), tool.object("inputSchema"));
            }
        }
    }

    private static Json.Arr read() {
        try (InputStream in = ToolList.class.getResourceAsStream("tools.json")) {
            if (in != null && Json.parse(in.readAllBytes()) instanceof Json.Arr list) {
                return list;
            }
        } catch (IOException | MalformedJsonException e) {
            throw new IllegalStateException("resource tools.json is damaged", e);
        }
        throw new IllegalStateException("resource tools.json is missing");
    }

    /// The result of `tools/list`.
    Json.Obj json() {
        return Json.obj().put("tools", told);
    }

    List<String> names() {
        return List.copyOf(schemas.keySet());
    }

    /// What the arguments of `tool` have to be.
    Json.Obj schema(String tool) {
        return schemas.getOrDefault(tool, Json.obj());
    }

    /// The tool of this name, or null.
    static @Nullable Tool named(String name) {
        return switch (name) {
            case "hive_start" -> new StartTool();
            case "send" -> new SendTool();
            case "ask" -> new AskTool();
            case "inbox" -> new InboxTool();
            case "take" -> new TakeTool();
            case "done" -> new DoneTool();
            case "read" -> new ReadTool();
            case "check" -> new CheckTool();
            case "reserve" -> new ReserveTool();
            case "signal" -> new SignalTool();
            case "find" -> new FindTool();
            default -> null;
        };
    }
}
