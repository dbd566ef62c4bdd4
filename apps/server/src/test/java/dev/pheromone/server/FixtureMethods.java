package dev.pheromone.server;

import dev.pheromone.envelope.ContentHash;
import dev.pheromone.mcp.Answer;
import dev.pheromone.mcp.Call;
import dev.pheromone.mcp.Message;
import dev.pheromone.mcp.Methods;
import dev.pheromone.mcp.RpcCode;
import dev.pheromone.mcp.RpcException;
import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// The server that the official conformance suite wants to meet: all that the protocol knows, over
/// the same classes as the hive's own server. What it answers stands in `fixture.json`.
final class FixtureMethods implements Methods {

    private static final int PATIENCE_S = 20;

    private static final Set<String> TALKING =
            Set.of("test_tool_with_logging", "test_tool_with_progress", "test_logging_tool");

    private final Json.Obj fixture = read();
    private final Map<String, CompletableFuture<Json.Obj>> asked = new ConcurrentHashMap<>();

    private static Json.Obj read() {
        try (InputStream in = FixtureMethods.class.getResourceAsStream("fixture.json")) {
            return (Json.Obj) Json.parse(in.readAllBytes());
        } catch (IOException | MalformedJsonException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Profile profile() {
        return new Profile(
                "fixture",
                "Fixture",
                "1.0.0",
                Json.obj()
                        .put("tools", Json.obj())
                        .put("prompts", Json.obj())
                        .put("resources", Json.obj())
                        .put("logging", Json.obj())
                        .put("completions", Json.obj()),
                "");
    }

    @Override
    public boolean isLong(Call call) {
        String name = call.params().optionalText("name").orElse("");
        return call.method().equals("tools/call")
                && (TALKING.contains(name)
                        || fixture.object("asked").has(name)
                        || name.equals("test_streaming_elicitation"));
    }

    @Override
    public void replied(Message.Response response) {
        if (response.id() instanceof Json.Str(String id)) {
            CompletableFuture<Json.Obj> waiting = asked.remove(id);
            if (waiting != null) {
                boolean _ = waiting.complete(response.whole());
            }
        }
    }

    @Override
    public Answer answer(Call call) throws IOException {
        return Answer.of(
                switch (call.method()) {
                    case "tools/list" -> list("tools", "tools");
                    case "resources/list" -> list("resources", "resources");
                    case "resources/templates/list" -> list("resourceTemplates", "templates");
                    case "prompts/list" -> list("prompts", "prompts");
                    case "resources/read" -> resource(call);
                    case "resources/subscribe", "resources/unsubscribe", "logging/setLevel" ->
                            Json.obj();
                    case "completion/complete" ->
                            Json.obj()
                                    .put(
                                            "completion",
                                            Json.obj()
                                                    .putTexts("values", List.of("test1"))
                                                    .put("hasMore", false));
                    case "prompts/get" -> prompt(call);
                    case "tools/call" -> tool(call);
                    default ->
                            throw new RpcException(
                                    RpcCode.METHOD_NOT_FOUND, "no method " + call.method());
                });
    }

    private Json.Obj list(String name, String place) {
        return Json.obj().put(name, fixture.get(place).orElseThrow());
    }

    private Json.Obj resource(Call call) {
        String uri = call.params().text("uri");
        if (!fixture.object("contents").has(uri)) {
            throw new RpcException(
                    RpcCode.INVALID_PARAMS, "no such resource", Json.obj().put("uri", uri));
        }
        return Json.obj().put("contents", Json.arr(fixture.object("contents").object(uri)));
    }

    private Json.Obj prompt(Call call) throws IOException {
        String name = call.params().text("name");
        Json.Obj input = rounds(call, name);
        if (input.size() > 0) {
            return input;
        }
        String text = fixture.object("messages").object(name).toString();
        Json given = call.params().get("arguments").orElse(Json.obj());
        if (given instanceof Json.Obj arguments) {
            for (String argument : arguments.names()) {
                text = text.replace("{" + argument + "}", arguments.text(argument));
            }
        }
        try {
            return (Json.Obj) Json.parse(text);
        } catch (MalformedJsonException e) {
            throw new IOException(e);
        }
    }

    private Json.Obj tool(Call call) throws IOException {
        String name = call.params().text("name");
        if (fixture.object("results").has(name)) {
            return fixture.object("results").object(name);
        }
        if (fixture.object("asked").has(name)) {
            return said("it says: " + ask(call, fixture.object("asked").object(name)));
        }
        switch (name) {
            case "test_tool_with_logging" -> {
                for (String text : List.of("begins", "goes on", "ends")) {
                    notify(
                            call,
                            "notifications/message",
                            Json.obj().put("level", "info").put("data", text));
                }
            }
            case "test_tool_with_progress" -> {
                Json token = call.request().meta().get("progressToken").orElse(Json.Null.NULL);
                for (int done : List.of(0, 50, 100)) {
                    if (token != Json.Null.NULL) {
                        notify(
                                call,
                                "notifications/progress",
                                Json.obj()
                                        .put("progressToken", token)
                                        .put("progress", done)
                                        .put("total", 100));
                    }
                }
            }
            case "test_missing_capability" -> {
                if (!call.capabilities().has("sampling")) {
                    throw new RpcException(
                            RpcCode.MISSING_CAPABILITY,
                            "needs sampling",
                            Json.obj()
                                    .put(
                                            "requiredCapabilities",
                                            Json.obj().put("sampling", Json.obj())));
                }
            }
            case "test_logging_tool" -> {}
            default -> {
                if (!fixture.object("rounds").has(name)) {
                    throw new RpcException(RpcCode.INVALID_PARAMS, "no tool " + name);
                }
                Json.Obj input = rounds(call, name);
                if (input.size() > 0) {
                    return input;
                }
                return said("state-ok: " + call.params().object("inputResponses"));
            }
        }
        return said("done");
    }

    private static Json.Obj said(String text) {
        return Json.obj()
                .put("content", Json.arr(Json.obj().put("type", "text").put("text", text)));
    }

    private static void notify(Call call, String method, Json.Obj params) throws IOException {
        call.send(Json.obj().put("jsonrpc", "2.0").put("method", method).put("params", params));
    }

    /// The client's answer to a request of this server's.
    private Json.Obj ask(Call call, Json.Obj request) throws IOException {
        String id = UUID.randomUUID().toString();
        CompletableFuture<Json.Obj> answer = new CompletableFuture<>();
        asked.put(id, answer);
        call.send(Json.obj().put("jsonrpc", "2.0").put("id", id).putAll(request));
        try {
            return answer.get(PATIENCE_S, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new IOException(e);
        }
    }

    /// What the client still has to be asked before `name` can be answered; empty for nothing.
    private Json.Obj rounds(Call call, String name) {
        if (!fixture.object("rounds").has(name)) {
            return Json.obj();
        }
        Json responses = call.params().get("inputResponses").orElse(Json.obj());
        if (!(responses instanceof Json.Obj given)) {
            throw new RpcException(RpcCode.INVALID_PARAMS, "inputResponses: expected an object");
        }
        int round = round(call, name);
        List<Json> all = fixture.object("rounds").list(name);
        Json.Obj wanted = possible((Json.Obj) all.get(round), call.capabilities());
        boolean isAnswered = true;
        for (String key : wanted.names()) {
            if (given.has(key) && !(given.get(key).orElseThrow() instanceof Json.Obj)) {
                throw new RpcException(RpcCode.INVALID_PARAMS, key + ": expected an object");
            }
            isAnswered &= given.has(key);
        }
        if (!isAnswered) {
            return required(wanted, name, round);
        }
        return round + 1 == all.size()
                ? Json.obj()
                : required((Json.Obj) all.get(round + 1), name, round + 1);
    }

    /// Those of the requests that the client can answer.
    private static Json.Obj possible(Json.Obj requests, Json.Obj capabilities) {
        Json.Obj possible = Json.obj();
        for (String key : requests.names()) {
            String method = requests.object(key).text("method");
            if (capabilities.has(method.substring(0, method.indexOf('/')))) {
                possible = possible.put(key, requests.object(key));
            }
        }
        return possible.size() == 0 ? requests : possible;
    }

    private static Json.Obj required(Json.Obj requests, String name, int round) {
        return Json.obj()
                .put("resultType", "input_required")
                .put("inputRequests", requests)
                .put("requestState", state(name, round));
    }

    private static String state(String name, int round) {
        String what = "a secret of the fixture " + name + round;
        return round + "." + ContentHash.of(what.getBytes(StandardCharsets.UTF_8)).hex();
    }

    private static int round(Call call, String name) {
        String state = call.params().optionalText("requestState").orElse("");
        if (state.isEmpty()) {
            return 0;
        }
        int round = Character.digit(state.charAt(0), 10);
        if (!MessageDigest.isEqual(
                state.getBytes(StandardCharsets.UTF_8),
                state(name, round).getBytes(StandardCharsets.UTF_8))) {
            throw new RpcException(RpcCode.INVALID_PARAMS, "requestState: not what was given");
        }
        return round;
    }
}
