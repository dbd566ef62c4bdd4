package dev.pheromone.mcp;

import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;

/// One message of JSON-RPC.
public sealed interface Message {

    /// A call that wants an answer.
    ///
    /// @param id a text or a whole number, by which the client knows the answer
    record Request(Json id, String method, Json.Obj params) implements Message {

        /// What the client says about the request itself.
        public Json.Obj meta() {
            return params.get("_meta").orElse(Json.Null.NULL) instanceof Json.Obj meta
                    ? meta
                    : Json.obj();
        }
    }

    /// Something that the client tells, and that is not answered.
    record Notification(String method, Json.Obj params) implements Message {}

    /// The client's answer to a request of ours.
    record Response(Json id, Json.Obj whole) implements Message {}

    /// The message that `utf8` holds.
    ///
    /// @throws RpcException if it is none, with its id as far as that can be read
    static Message parse(byte[] utf8) {
        Json json;
        try {
            json = Json.parse(utf8);
        } catch (MalformedJsonException e) {
            throw new RpcException(RpcCode.PARSE_ERROR, "not JSON: " + e.getMessage());
        }
        if (json instanceof Json.Arr) {
            throw new RpcException(
                    RpcCode.INVALID_REQUEST, "found an array, expected one message at a time");
        }
        if (!(json instanceof Json.Obj object)) {
            throw new RpcException(RpcCode.INVALID_REQUEST, "found no object, expected a message");
        }
        return of(object);
    }

    private static Message of(Json.Obj object) {
        Json id = object.get("id").orElse(Json.Null.NULL);
        boolean isNamed =
                id instanceof Json.Str
                        || (id instanceof Json.Num number && number.longValue().isPresent());
        if (object.has("id") && !isNamed) {
            throw new RpcException(
                    RpcCode.INVALID_REQUEST, "id: expected a string or a whole number");
        }
        if (!object.optionalText("jsonrpc").orElse("").equals("2.0")) {
            throw new RpcException(RpcCode.INVALID_REQUEST, "jsonrpc: expected \"2.0\"").to(id);
        }
        if (!object.has("method") && (object.has("result") || object.has("error"))) {
            return new Response(id, object);
        }
        if (!(object.get("method").orElse(id) instanceof Json.Str(String method))
                || !object.has("method")) {
            throw new RpcException(RpcCode.INVALID_REQUEST, "method: expected a string").to(id);
        }
        Json params = object.get("params").orElse(Json.obj());
        if (!(params instanceof Json.Obj named)) {
            throw new RpcException(RpcCode.INVALID_META, "params: expected an object").to(id);
        }
        return object.has("id") ? new Request(id, method, named) : new Notification(method, named);
    }
}
