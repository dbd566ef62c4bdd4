package dev.pheromone.http;

import dev.pheromone.Discreet;
import dev.pheromone.LockJson;
import dev.pheromone.Settlement;
import dev.pheromone.Settlement.Confirmation;
import dev.pheromone.State;
import dev.pheromone.text.Json;

import java.time.Instant;

/// What became of a claim, as JSON: its `state`, in the words of `rsm ack --json`.
public final class SettlementJson {

    private SettlementJson() {}

    public static Json.Obj write(Settlement settlement) {
        return switch (settlement) {
            case Settlement.Renewed(var leaseEndsAt) ->
                    Json.obj()
                            .put("state", State.ACTIVE.toString())
                            .put("lease_ends_at", leaseEndsAt.toString());
            case Settlement.Settled(var state, var confirmation) ->
                    Json.obj()
                            .put("state", state.toString())
                            .put("confirmed", confirmation == Confirmation.ON_DISK);
            case Settlement.Lost(var reason) ->
                    Json.obj().put("state", "lost").put("reason", Discreet.text(reason));
            case Settlement.Withheld(var lock, var reason, var embargo) ->
                    Json.obj()
                            .put("state", embargo.isEmpty() ? "withheld" : "advisory")
                            .put("reason", Discreet.text(reason))
                            .put("lock", LockJson.write(lock));
        };
    }

    /// The inverse of `write`.
    ///
    /// @param location what stands for the place where an outcome waits
    static Settlement read(Json.Obj json, String location) {
        String state = json.text("state");
        return switch (state) {
            case "lost" -> new Settlement.Lost(json.text("reason"));
            case "withheld", "advisory" ->
                    new Settlement.Withheld(
                            LockJson.read(json.object("lock")),
                            json.text("reason"),
                            state.equals("advisory") ? location : "");
            default ->
                    json.has("lease_ends_at")
                            ? new Settlement.Renewed(Instant.parse(json.text("lease_ends_at")))
                            : new Settlement.Settled(
                                    State.parse(state),
                                    json.flag("confirmed")
                                            ? Confirmation.ON_DISK
                                            : Confirmation.UNKNOWN);
        };
    }
}
