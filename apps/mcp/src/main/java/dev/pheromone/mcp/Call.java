package dev.pheromone.mcp;

import dev.pheromone.address.Actor;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.Optional;

/// One request while it is answered.
public final class Call {

    static final String VERSION = "io.modelcontextprotocol/protocolVersion";
    static final String CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
    private static final String CLIENT = "io.modelcontextprotocol/clientInfo";

    /// Takes messages to the client while the answer is not there yet.
    interface Channel {
        void send(Json.Obj message) throws IOException;

        /// Shows a client that waits that its request is worked on, where that can be shown; fails
        /// if the client is gone.
        void keepAlive() throws IOException;
    }

    private final Message.Request request;
    private final Revision revision;
    private final @Nullable Actor actor;
    private final Channel channel;
    private volatile boolean isOver;
    private volatile boolean isCancelled;

    /// @param actor for whom the client has proven to speak; null if that is not how it is known
    Call(Message.Request request, Revision revision, @Nullable Actor actor, Channel channel) {
        this.request = request;
        this.revision = revision;
        this.actor = actor;
        this.channel = channel;
    }

    public Message.Request request() {
        return request;
    }

    public String method() {
        return request.method();
    }

    public Json.Obj params() {
        return request.params();
    }

    public Revision revision() {
        return revision;
    }

    /// For whom the client has proven to speak.
    public Optional<Actor> actor() {
        return Optional.ofNullable(actor);
    }

    /// What the client calls itself in the request; empty if it does not say so.
    public String clientName() {
        return request.meta().get(CLIENT).orElse(Json.Null.NULL) instanceof Json.Obj client
                ? client.optionalText("name").orElse("")
                : "";
    }

    /// What the client says in the request that it can do.
    public Json.Obj capabilities() {
        return request.meta().get(CAPABILITIES).orElse(Json.Null.NULL) instanceof Json.Obj known
                ? known
                : Json.obj();
    }

    /// Sends the client a message before the answer.
    public void send(Json.Obj message) throws IOException {
        channel.send(message);
    }

    /// Whether nobody waits for the answer any more. Whoever waits for something asks now and then,
    /// which also shows the client that its request is worked on.
    public boolean isOver() {
        if (!isOver) {
            try {
                channel.keepAlive();
            } catch (IOException e) {
                isOver = true;
            }
        }
        return isOver;
    }

    /// Whatever waits stops waiting, and the call is answered with what there is.
    void end() {
        isOver = true;
    }

    /// The client wants no answer any more.
    void cancel() {
        isCancelled = true;
        isOver = true;
    }

    boolean isCancelled() {
        return isCancelled;
    }
}
