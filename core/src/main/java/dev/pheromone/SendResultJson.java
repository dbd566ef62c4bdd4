package dev.pheromone;

import dev.pheromone.address.Reach;
import dev.pheromone.envelope.Consent;
import dev.pheromone.text.Json;

import java.io.IOException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;

/// What became of a copy as JSON, in the words of `rsm send --json`: `state`, and what belongs to
/// it. Places on the disk of whoever says it stay there.
public final class SendResultJson {

    private static final String REJECTED = "rejected";
    private static final String NO_SUCH_INBOX = "no_such_inbox";

    private SendResultJson() {}

    /// The JSON of `result`.
    public static Json.Obj write(SendResult result) {
        return switch (result) {
            case SendResult.Delivered _ -> state("delivered").put("confirmed", true);
            case SendResult.Unconfirmed(var _, var reason) ->
                    because("delivered", reason).put("confirmed", false);
            case SendResult.Duplicate _ -> state("duplicate");
            case SendResult.Conflict(var _, var reason) -> because("conflict", reason);
            case SendResult.Withheld(var lock, var reason, var embargo) ->
                    because(embargo.isEmpty() ? "withheld" : "advisory", reason)
                            .put("lock", LockJson.write(lock));
            case SendResult.Refused(var retryAfter, var reason) ->
                    because("refused", reason).put("retry_after_s", seconds(retryAfter));
            case SendResult.Parked(var _, var until, var reason) ->
                    because("outbox", reason).put("until_at", until.toString());
            case SendResult.Spooled(var _, var _, var reason) -> because("outbox", reason);
            case SendResult.Unanswered(var at, var reason) ->
                    because("outbox", reason).put("at", at.toString());
            case SendResult.BeyondConsent(var consent, var reach) ->
                    state("refused")
                            .put("consent", consent.toString())
                            .put("reach", reach.toString());
            case SendResult.NotPublic(var kinds, var reason) ->
                    because("refused", reason)
                            .put("kinds", Json.arr(kinds.stream().map(Json::of).toList()));
            case SendResult.Rejected(var ground, var reason) ->
                    because(
                            ground == SendResult.Ground.THE_MAIL ? REJECTED : NO_SUCH_INBOX,
                            reason);
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

    private static SendResult refused(Json.Obj copy, String reason) {
        if (copy.has("consent")) {
            return new SendResult.BeyondConsent(
                    Consent.parse(copy.text("consent")), Reach.parse(copy.text("reach")));
        }
        return copy.has("kinds")
                ? new SendResult.NotPublic(copy.texts("kinds"), reason)
                : new SendResult.Refused(Duration.ofSeconds(copy.number("retry_after_s")), reason);
    }

    /// The inverse of `write`.
    ///
    /// @param location what stands for the place of the copy, since the other side keeps that to
    ///   itself
    /// @throws IllegalArgumentException if it is no such JSON
    public static SendResult read(Json.Obj copy, String location) {
        try {
            return result(copy, location);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("result of a copy: " + e.getMessage(), e);
        }
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
            case "outbox" -> outbox(copy, location, reason);
            case "refused" -> refused(copy, reason);
            case REJECTED -> new SendResult.Rejected(SendResult.Ground.THE_MAIL, reason);
            case NO_SUCH_INBOX -> new SendResult.Rejected(SendResult.Ground.NO_SUCH_INBOX, reason);
            case "failed" -> new SendResult.Failed(new IOException(reason));
            default ->
                    throw new IllegalArgumentException(
                            "state of a copy: found \"" + state + "\", expected one we know");
        };
    }

    private static SendResult outbox(Json.Obj copy, String location, String reason) {
        if (copy.has("at")) {
            return new SendResult.Unanswered(SendResult.Place.parse(copy.text("at")), reason);
        }
        return copy.has("until_at")
                ? new SendResult.Parked(location, Instant.parse(copy.text("until_at")), reason)
                : new SendResult.Spooled(location, SendResult.Place.HERE, reason);
    }
}
