package dev.pheromone.mcp;

import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

/// A request that is answered with an error of the protocol.
public final class RpcException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final RpcCode code;
    private final transient Json.@Nullable Obj data;
    private final transient Json id;

    public RpcException(RpcCode code, String message) {
        this(code, message, null);
    }

    /// @param data what programs can read; null for nothing
    public RpcException(RpcCode code, String message, Json.@Nullable Obj data) {
        this(code, message, data, Json.Null.NULL);
    }

    private RpcException(RpcCode code, String message, Json.@Nullable Obj data, Json id) {
        super(message);
        this.code = code;
        this.data = data;
        this.id = id;
    }

    /// This error, as the answer to the request `asked`.
    RpcException to(Json asked) {
        RpcException answer = new RpcException(code, String.valueOf(getMessage()), data, asked);
        answer.initCause(this);
        return answer;
    }

    public RpcCode code() {
        return code;
    }

    /// The answer.
    Json.Obj json() {
        Json.Obj error =
                Json.obj().put("code", code.number()).put("message", String.valueOf(getMessage()));
        return Json.obj()
                .put("jsonrpc", "2.0")
                .put("id", id)
                .put("error", data == null ? error : error.put("data", data));
    }
}
