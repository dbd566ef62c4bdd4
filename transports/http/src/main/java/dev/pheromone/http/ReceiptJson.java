package dev.pheromone.http;

import dev.pheromone.Address;
import dev.pheromone.Consent;
import dev.pheromone.ContentHash;
import dev.pheromone.Domain;
import dev.pheromone.EnvelopeId;
import dev.pheromone.Json;
import dev.pheromone.Reach;
import dev.pheromone.Receipt;
import dev.pheromone.SendResult;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// A receipt as JSON: `id`, `hash`, and in `to` the state of each copy, in the words of `rsm send
/// --json`. Places on the server's disk stay there.
public final class ReceiptJson {

    /// No server holds a request for longer; what says so is not believed.
    private static final long WAITED_S_MAX = 3_600;

    private ReceiptJson() {}

    public static Json.Obj write(Receipt receipt) {
        List<Json> to = new ArrayList<>();
        for (Receipt.Copy copy : receipt.copies()) {
            to.add(
                    Json.obj()
                            .put("address", copy.address().toString())
                            .put("inbox", copy.inbox().name())
                            .putAll(write(copy.result())));
        }
        return Json.obj()
                .put("id", receipt.id().text())
                .put("hash", receipt.hash().toString())
                .put("to", Json.arr(to))
                .putAll(write(receipt.waited()));
    }

    /// `waited_s` and `waited_for`, if the sender had to wait; else nothing.
    public static Json.Obj write(Receipt.Wait wait) {
        return wait.isNone()
                ? Json.obj()
                : Json.obj()
                        .put("waited_s", seconds(wait.length()))
                        .put("waited_for", Discreet.text(wait.reason()));
    }

    private static Receipt.Wait readWait(Json.Obj json) {
        return json.has("waited_s")
                ? new Receipt.Wait(
                        Duration.ofSeconds(Math.clamp(json.number("waited_s"), 0, WAITED_S_MAX)),
                        json.optionalText("waited_for").orElse(""))
                : Receipt.Wait.NONE;
    }

    private static Json.Obj write(SendResult result) {
        return switch (result) {
            case SendResult.Delivered _ -> state("delivered").put("confirmed", true);
            case SendResult.Unconfirmed(var _, var reason) ->
                    because("delivered", reason).put("confirmed", false);
            case SendResult.Duplicate _ -> state("duplicate");
            case SendResult.Conflict(var _, var reason) -> because("conflict", reason);
            case SendResult.Withheld(var lock, var reason, var mirror) ->
                    because(mirror.isEmpty() ? "withheld" : "advisory", reason)
                            .put("lock", LockJson.write(lock));
            case SendResult.Refused(var retryAfter, var reason) ->
                    because("refused", reason).put("retry_after_s", seconds(retryAfter));
            case SendResult.Parked(var _, var until, var reason) ->
                    because("outbox", reason).put("until_at", until.toString());
            case SendResult.Spooled(var _, var reason) -> because("outbox", reason);
            case SendResult.BeyondConsent(var consent, var reach) ->
                    state("refused")
                            .put("consent", consent.toString())
                            .put("reach", reach.toString());
            case SendResult.NotPublic(var kinds, var reason) ->
                    because("refused", reason)
                            .put("kinds", Json.arr(kinds.stream().map(Json::of).toList()));
            // What went wrong with the server's disk is the server's own affair.
            case SendResult.Failed _ -> because("failed", "the hive could not store it");
        };
    }

    private static Json.Obj state(String state) {
        return Json.obj().put("state", state);
    }

    private static Json.Obj because(String state, String reason) {
        return state(state).put("reason", Discreet.text(reason));
    }

    /// Whole seconds, rounded up: who comes back too early is refused again.
    public static long seconds(Duration duration) {
        return duration.plusNanos(999_999_999).toSeconds();
    }

    /// The inverse of `write`.
    ///
    /// @param location what stands for the place of each copy, since the server keeps that to
    ///   itself
    public static Receipt read(Json.Obj json, String location) {
        List<Receipt.Copy> copies = new ArrayList<>();
        for (Json item : json.list("to")) {
            if (!(item instanceof Json.Obj copy)) {
                throw new IllegalArgumentException("field \"to\": expected an array of objects");
            }
            copies.add(
                    new Receipt.Copy(
                            Address.parse(copy.text("address")),
                            Domain.parse(copy.text("inbox")),
                            result(copy, location)));
        }
        return new Receipt(
                EnvelopeId.parse(json.text("id")),
                ContentHash.parse(json.text("hash")),
                copies,
                readWait(json));
    }

    private static SendResult refused(Json.Obj copy, String reason) {
        if (copy.has("consent")) {
            return new SendResult.BeyondConsent(
                    Consent.parse(copy.text("consent")), Reach.parse(copy.text("reach")));
        }
        return copy.has("kinds")
                ? new SendResult.NotPublic(copy.texts("kinds"), reason)
                : new SendResult.Refused(Duration.ofSeconds(copy.number("retry_after_s")), reason);
    }

    private static SendResult result(Json.Obj copy, String location) {
        String reason = copy.optionalText("reason").orElse("");
        String state = copy.text("state");
        return switch (state) {
            case "delivered" ->
                    copy.flag("confirmed")
                            ? new SendResult.Delivered(location)
                            : new SendResult.Unconfirmed(location, reason);
            case "duplicate" -> new SendResult.Duplicate(location);
            case "conflict" -> new SendResult.Conflict(location, reason);
            case "advisory" ->
                    new SendResult.Withheld(LockJson.read(copy.object("lock")), reason, location);
            case "withheld" ->
                    new SendResult.Withheld(LockJson.read(copy.object("lock")), reason, "");
            case "outbox" ->
                    copy.has("until_at")
                            ? new SendResult.Parked(
                                    location, Instant.parse(copy.text("until_at")), reason)
                            : new SendResult.Spooled(location, reason);
            case "refused" -> refused(copy, reason);
            case "failed" -> new SendResult.Failed(new IOException(reason));
            default ->
                    throw new IllegalArgumentException(
                            "state of a copy: found \"" + state + "\", expected one we know");
        };
    }
}
