package dev.pheromone.testkit;

import dev.pheromone.text.Json;

/// What a client says to an MCP server: the messages of JSON-RPC, however they are carried.
public final class McpText {

    private McpText() {}

    /// A request, which is answered under its id.
    public static Json.Obj request(int id, String method, Json.Obj params) {
        return Json.obj()
                .put("jsonrpc", "2.0")
                .put("id", id)
                .put("method", method)
                .put("params", params);
    }

    /// The request that calls a tool.
    public static Json.Obj call(int id, String tool, Json.Obj arguments) {
        return request(id, "tools/call", Json.obj().put("name", tool).put("arguments", arguments));
    }

    /// Something that is told, and not answered.
    public static Json.Obj told(String method, Json.Obj params) {
        return Json.obj().put("jsonrpc", "2.0").put("method", method).put("params", params);
    }
}
