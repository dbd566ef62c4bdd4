package dev.pheromone.server;

import dev.pheromone.address.Actor;
import dev.pheromone.mcp.HttpMessages;
import dev.pheromone.mcp.Methods;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Semaphore;

/// The Model Context Protocol at `/mcp`: each message is a request of its own, in the name of the
/// actor whose token it shows.
final class McpRoutes implements Closeable {

    static final List<String> PATH = List.of("mcp");

    private final HttpMessages messages;
    private final Semaphore places;

    McpRoutes(Methods methods, ServerLimits limits) {
        this.messages = new HttpMessages(methods);
        this.places = new Semaphore(limits.streamsMax());
    }

    List<Route> routes() {
        return List.of(new Route("POST", "/mcp", (call, _) -> post(call)));
    }

    private Reply post(Call call) throws IOException {
        byte[] body = call.body(Call.JSON, HttpMessages.BYTES_MAX);
        Actor actor = Objects.requireNonNull(call.actor());
        return switch (messages.answer(call::header, body, actor)) {
            case HttpMessages.Reply.Accepted _ -> Reply.nothing(202);
            case HttpMessages.Reply.Whole(int status, String json, Runnable unsent) ->
                    Reply.text(status, Call.JSON, json).orElse(unsent::run);
            case HttpMessages.Reply.Events(HttpMessages.Content content) -> events(content);
        };
    }

    private Reply events(HttpMessages.Content content) {
        if (!places.tryAcquire()) {
            throw Problem.of(503, "busy", "too many clients wait for mail")
                    .with("Retry-After", "10")
                    .thrown();
        }
        return Reply.stream("text/event-stream", content::writeTo).closing(places::release);
    }

    /// Lets go of whoever waits.
    @Override
    public void close() {
        messages.close();
    }
}
