package dev.pheromone.mcp;

import dev.pheromone.text.Json;

import java.io.IOException;
import java.util.List;
import java.util.Set;

/// What every server of the protocol does, however its messages come: it finds out in which
/// revision a request is meant, begins, and gives each result the form of its revision.
final class Protocol {

    private static final String INITIALIZE = "initialize";
    private static final String DISCOVER = "server/discover";
    private static final String SERVER = "io.modelcontextprotocol/serverInfo";

    /// How long a client may keep what rarely changes: nothing of ours does while it runs.
    private static final long KEPT_MS = 300_000;

    /// Methods of the older revisions that a stateless one does not have.
    private static final Set<String> OLD =
            Set.of(
                    INITIALIZE,
                    "ping",
                    "logging/setLevel",
                    "resources/subscribe",
                    "resources/unsubscribe");

    private static final Set<String> CACHEABLE =
            Set.of(
                    DISCOVER,
                    "tools/list",
                    "prompts/list",
                    "resources/list",
                    "resources/templates/list",
                    "resources/read");

    private final Methods methods;

    Protocol(Methods methods) {
        this.methods = methods;
    }

    /// In which revision `request` is meant. A request that names none belongs to what began with
    /// `initialize`.
    ///
    /// @param header the revision that stands beside the message, empty if none does
    static Revision revision(Message.Request request, String header) {
        Json.Obj meta = request.meta();
        boolean isStateless =
                meta.has(Call.VERSION)
                        || request.method().equals(DISCOVER)
                        || header.equals(Revision.JULY_2026.toString());
        if (!isStateless) {
            if (header.isEmpty() || request.method().equals(INITIALIZE)) {
                return Revision.NOVEMBER_2025;
            }
            return Revision.of(header).orElseThrow(() -> unsupported(header));
        }
        String named =
                meta.optionalText(Call.VERSION)
                        .orElseThrow(() -> missing(Call.VERSION, "a string"));
        if (!header.isEmpty() && !header.equals(named)) {
            throw new RpcException(
                    RpcCode.HEADER_MISMATCH,
                    "MCP-Protocol-Version: found \""
                            + header
                            + "\", expected \""
                            + named
                            + "\", as the message says");
        }
        Revision revision = Revision.of(named).orElseThrow(() -> unsupported(named));
        if (revision.isStateless()
                && !(meta.get(Call.CAPABILITIES).orElse(Json.Null.NULL) instanceof Json.Obj)) {
            throw missing(Call.CAPABILITIES, "an object");
        }
        return revision;
    }

    private static RpcException missing(String name, String expected) {
        return new RpcException(RpcCode.INVALID_META, "_meta: " + name + ": expected " + expected);
    }

    private static RpcException unsupported(String named) {
        return new RpcException(
                RpcCode.UNSUPPORTED_VERSION,
                "unsupported protocol version",
                Json.obj().putTexts("supported", Revision.dates()).put("requested", named));
    }

    /// Answers `call`, in the form of its revision.
    Answer answer(Call call) throws IOException {
        boolean isStateless = call.revision().isStateless();
        if (isStateless ? OLD.contains(call.method()) : call.method().equals(DISCOVER)) {
            throw noSuchMethod(call.method());
        }
        Answer answer =
                switch (call.method()) {
                    case INITIALIZE -> Answer.of(initialize(call));
                    case "ping" -> Answer.of(Json.obj());
                    case DISCOVER -> Answer.of(discover());
                    default -> methods.answer(call);
                };
        return isStateless ? answer.with(complete(call.method(), answer.result())) : answer;
    }

    static RpcException noSuchMethod(String method) {
        return new RpcException(RpcCode.METHOD_NOT_FOUND, "no method " + method);
    }

    private Json.Obj initialize(Call call) {
        Json.Obj params = call.params();
        String asked =
                params.optionalText("protocolVersion")
                        .orElseThrow(() ->
                                new RpcException(
                                        RpcCode.INVALID_PARAMS,
                                        "protocolVersion: expected a string"));
        if (params.get("clientInfo").orElse(Json.Null.NULL) instanceof Json.Obj client) {
            methods.greeted(client.optionalText("name").orElse(""));
        }
        Methods.Profile profile = methods.profile();
        Json.Obj result =
                Json.obj()
                        .put("protocolVersion", Revision.answering(asked).toString())
                        .put("capabilities", profile.capabilities())
                        .put("serverInfo", profile.info());
        return profile.instructions().isEmpty()
                ? result
                : result.put("instructions", profile.instructions());
    }

    private Json.Obj discover() {
        Methods.Profile profile = methods.profile();
        Json.Obj result =
                Json.obj()
                        .put("supportedVersions", Json.texts(List.copyOf(Revision.dates())))
                        .put("capabilities", profile.capabilities());
        return profile.instructions().isEmpty()
                ? result
                : result.put("instructions", profile.instructions());
    }

    private Json.Obj complete(String method, Json.Obj result) {
        Json.Obj meta =
                result.get("_meta").orElse(Json.Null.NULL) instanceof Json.Obj given
                        ? given
                        : Json.obj();
        Json.Obj whole = Json.obj().put("resultType", "complete").putAll(result);
        boolean isComplete = whole.optionalText("resultType").orElse("").equals("complete");
        if (isComplete && CACHEABLE.contains(method)) {
            whole = Json.obj().put("ttlMs", KEPT_MS).put("cacheScope", "private").putAll(whole);
        }
        return whole.put("_meta", meta.put(SERVER, methods.profile().info()));
    }

    /// The message that takes `result` to whoever asked.
    static Json.Obj response(Json id, Json.Obj result) {
        return Json.obj().put("jsonrpc", "2.0").put("id", id).put("result", result);
    }
}
