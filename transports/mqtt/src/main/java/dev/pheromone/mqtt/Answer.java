package dev.pheromone.mqtt;

import dev.pheromone.Json;
import dev.pheromone.MalformedJsonException;
import dev.pheromone.State;

import java.io.IOException;
import java.time.Instant;
import java.util.Map;

/// What the keeper of an inbox answers.
sealed interface Answer {

    /// The question has come; its answer takes a while.
    record Heard() implements Answer {}

    /// A claim.
    ///
    /// @param bytes the envelope
    // Answers are never compared, and nobody writes into the bytes.
    @SuppressWarnings("ArrayRecordComponent")
    record Taken(
            String token,
            int attempt,
            Instant claimedAt,
            Instant leaseEndsAt,
            String rationale,
            byte[] bytes)
            implements Answer {}

    record Nothing() implements Answer {}

    record Renewed(Instant leaseEndsAt) implements Answer {}

    record Settled(State state) implements Answer {}

    record Lost(String reason) implements Answer {}

    /// The keeper could not do it.
    record Trouble(String reason) implements Answer {}

    String KEY = "answer";

    default Post post(String topic, String correlation) {
        Json.Obj json =
                switch (this) {
                    case Heard _ -> Json.obj().put(KEY, "heard");
                    case Taken taken ->
                            Json.obj()
                                    .put(KEY, "taken")
                                    .put("claim", taken.token())
                                    .put("attempt", taken.attempt())
                                    .put("claimed_at", taken.claimedAt().toString())
                                    .put("lease_ends_at", taken.leaseEndsAt().toString())
                                    .put("rationale", taken.rationale());
                    case Nothing _ -> Json.obj().put(KEY, "nothing");
                    case Renewed(var endsAt) ->
                            Json.obj().put(KEY, "renewed").put("lease_ends_at", endsAt.toString());
                    case Settled(var state) ->
                            Json.obj().put(KEY, "settled").put("state", state.toString());
                    case Lost(var reason) -> Json.obj().put(KEY, "lost").put("reason", reason);
                    case Trouble(var reason) ->
                            Json.obj().put(KEY, "trouble").put("reason", reason);
                };
        byte[] bytes = this instanceof Taken taken ? taken.bytes() : new byte[0];
        return Post.passing(topic, bytes)
                .with(Map.of(KEY, json.toString()))
                .asking(correlation, "");
    }

    static Answer parse(Post post) throws IOException {
        try {
            String text = post.properties().getOrDefault(KEY, "");
            if (!(Json.parse(text) instanceof Json.Obj json)) {
                throw new IOException("answer: found no JSON object, expected one");
            }
            return switch (json.text(KEY)) {
                case "heard" -> new Heard();
                case "taken" ->
                        new Taken(
                                json.text("claim"),
                                Math.toIntExact(json.number("attempt")),
                                Instant.parse(json.text("claimed_at")),
                                Instant.parse(json.text("lease_ends_at")),
                                json.text("rationale"),
                                post.payload());
                case "nothing" -> new Nothing();
                case "renewed" -> new Renewed(Instant.parse(json.text("lease_ends_at")));
                case "settled" -> new Settled(State.parse(json.text("state")));
                case "lost" -> new Lost(json.text("reason"));
                default -> new Trouble(json.text("reason"));
            };
        } catch (MalformedJsonException | RuntimeException e) {
            throw new IOException("answer: " + e.getMessage(), e);
        }
    }
}
