package dev.pheromone.mcp;

/// What kind of error a request met: the number that clients read, and the status over HTTP.
public enum RpcCode {
    /// It is no JSON.
    PARSE_ERROR(-32700, 400),
    /// It is no message of JSON-RPC.
    INVALID_REQUEST(-32600, 400),
    METHOD_NOT_FOUND(-32601, 404),
    /// The method can't be called like this. The method itself says so, and HTTP has no part in it.
    INVALID_PARAMS(-32602, 200),
    /// The request lacks what each request of its revision has.
    INVALID_META(-32602, 400),
    INTERNAL(-32603, 200),
    /// So many calls are under way that no other is begun.
    BUSY(-32000, 503),
    /// A header says something else than the message.
    HEADER_MISMATCH(-32020, 400),
    /// The client can't do what the method needs.
    MISSING_CAPABILITY(-32021, 400),
    UNSUPPORTED_VERSION(-32022, 400);

    private final int number;
    private final int status;

    RpcCode(int number, int status) {
        this.number = number;
        this.status = status;
    }

    int number() {
        return number;
    }

    /// The status of an answer over HTTP, in the revisions that say one; the others have 200 for
    /// every answer to a request.
    int status() {
        return status;
    }
}
