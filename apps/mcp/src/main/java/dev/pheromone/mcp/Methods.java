package dev.pheromone.mcp;

import dev.pheromone.text.Json;

import java.io.IOException;

/// What a server does, beside what all of them do: the methods of tools and the like.
public interface Methods {

    /// What clients are told of the server.
    ///
    /// @param capabilities what it can do, as `initialize` tells it
    /// @param instructions what a model should know; empty for nothing
    record Profile(
            String name, String title, String version, Json.Obj capabilities, String instructions) {

        Json.Obj info() {
            return Json.obj().put("name", name).put("title", title).put("version", version);
        }
    }

    Profile profile();

    /// Answers a request of a method that is not the protocol's own.
    ///
    /// @throws RpcException if there is no such method, or it can't be called like this
    Answer answer(Call call) throws IOException;

    /// The client has begun to talk, and calls itself `name`.
    default void greeted(String name) {}

    /// The client has answered a request of ours.
    default void replied(Message.Response response) {}

    /// Whether the client should see over HTTP that its request is worked on.
    default boolean isLong(Call call) {
        return false;
    }
}
