package dev.pheromone.mqtt;

import dev.pheromone.Actor;
import dev.pheromone.Json;
import dev.pheromone.Lease;
import dev.pheromone.MalformedJsonException;
import dev.pheromone.Outcome;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/// What the keeper of an inbox is asked. Asking again under the same id changes nothing.
sealed interface Ask {

    /// Names this question, and no other.
    String id();

    record Take(String id, Actor worker, Lease lease) implements Ask {}

    record Renew(String id, String token) implements Ask {}

    record Settle(String id, String token, Outcome outcome) implements Ask {}

    default byte[] bytes() {
        Json.Obj json =
                switch (this) {
                    case Take(var id, var worker, var lease) ->
                            Json.obj()
                                    .put("ask", "take")
                                    .put("id", id)
                                    .put("worker", worker.toString())
                                    .put("lease_ms", lease.duration().toMillis());
                    case Renew(var id, var token) ->
                            Json.obj().put("ask", "renew").put("id", id).put("claim", token);
                    case Settle(var id, var token, var outcome) ->
                            json(outcome).put("id", id).put("claim", token);
                };
        return json.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static Json.Obj json(Outcome outcome) {
        Json.Obj json =
                switch (outcome) {
                    case Outcome.Done _ -> Json.obj().put("ask", "done");
                    case Outcome.Failed _ -> Json.obj().put("ask", "failed");
                    case Outcome.Released(var _, var pause) ->
                            Json.obj().put("ask", "released").put("pause_ms", pause.toMillis());
                };
        return json.put("note", outcome.note());
    }

    static Ask parse(byte[] bytes) throws IOException {
        try {
            if (!(Json.parse(bytes) instanceof Json.Obj json)) {
                throw new IOException("question: found no JSON object, expected one");
            }
            String id = json.text("id");
            String kind = json.text("ask");
            return switch (kind) {
                case "take" ->
                        new Take(
                                id,
                                Actor.parse(json.text("worker")),
                                Lease.unattended(Duration.ofMillis(json.number("lease_ms"))));
                case "renew" -> new Renew(id, json.text("claim"));
                default -> new Settle(id, json.text("claim"), outcome(kind, json));
            };
        } catch (MalformedJsonException | RuntimeException e) {
            throw new IOException("question: " + e.getMessage(), e);
        }
    }

    private static Outcome outcome(String kind, Json.Obj json) {
        String note = json.text("note");
        return switch (kind) {
            case "done" -> new Outcome.Done(note);
            case "failed" -> new Outcome.Failed(note);
            case "released" ->
                    new Outcome.Released(note, Duration.ofMillis(json.number("pause_ms")));
            default ->
                    throw new IllegalArgumentException(
                            "ask: found \""
                                    + kind
                                    + "\", expected take, renew, done, failed or released");
        };
    }
}
