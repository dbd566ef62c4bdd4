package dev.pheromone.http;

import dev.pheromone.address.Actor;
import dev.pheromone.address.Lane;
import dev.pheromone.envelope.Consent;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Header;
import dev.pheromone.envelope.Priority;
import dev.pheromone.envelope.Ttl;
import dev.pheromone.selection.Urgency;
import dev.pheromone.selection.Waiting;
import dev.pheromone.text.Json;

import java.time.Duration;
import java.time.Instant;

/// What waits in an inbox, as JSON.
public final class WaitingJson {

    /// What is told of a file that can't be read as mail. Why it can't would quote it, and it may
    /// be private mail with a mistake in its header.
    private static final String UNREADABLE = "the file can't be read as mail";

    private WaitingJson() {}

    public static Json.Obj write(Waiting waiting, Instant now) {
        return switch (waiting) {
            case Waiting.Mail(var header, var urgency, var attempt, var _) ->
                    mail(header, urgency, attempt, now);
            case Waiting.Bad(var _, var _, var id) ->
                    Json.obj()
                            .put("bad", true)
                            .putIfPresent("id", id == null ? null : id.text())
                            .put("reason", UNREADABLE);
        };
    }

    private static Json.Obj mail(Header header, Urgency urgency, int attempt, Instant now) {
        Instant notBefore = urgency.notBefore();
        return Json.obj()
                .put("id", header.id().text())
                .put("topic", header.topic())
                .put("from", header.from().name())
                .put("lane", header.lane().name())
                .put("priority", header.priority().name())
                .put("effective", "P" + urgency.effectiveClass(now))
                .put("weight", Math.round(urgency.weight(now) * 100) / 100.0)
                .put("age_s", Math.max(0, Duration.between(urgency.orderTime(), now).toSeconds()))
                .put("expires_in_s", Duration.between(now, urgency.expiresAt()).toSeconds())
                .put("attempt", attempt)
                .put("ts", header.ts().toString())
                .put("ttl", header.ttl().text())
                .put("consent", header.consent().toString())
                .put("hash", header.hash().toString())
                .put("signed", header.signed())
                .put("question", header.question())
                .put("answer", header.answer())
                .put("body_start", header.bodyStart())
                .put("first_seen_at", urgency.firstSeen().toString())
                .put("half_life", urgency.halfLife().toString())
                .put("failures", urgency.failures())
                .putIfPresent("not_before_at", notBefore == null ? null : notBefore.toString());
    }

    /// The inverse of `write`.
    ///
    /// @param location what stands for the place of the file, since the server keeps that to itself
    static Waiting read(Json.Obj json, String location) {
        if (json.has("bad")) {
            return new Waiting.Bad(
                    location,
                    json.text("reason"),
                    json.optionalText("id").map(EnvelopeId::parse).orElse(null));
        }
        Header header =
                new Header(
                        EnvelopeId.parse(json.text("id")),
                        Instant.parse(json.text("ts")),
                        Actor.parse(json.text("from")),
                        Lane.parse(json.text("lane")),
                        json.text("topic"),
                        Priority.parse(json.text("priority")),
                        Ttl.parse(json.text("ttl")),
                        Consent.parse(json.text("consent")),
                        ContentHash.parse(json.text("hash")),
                        json.flag("signed"),
                        // A server of an earlier version does not tell: it may be either.
                        !json.has("question") || json.flag("question"),
                        !json.has("answer") || json.flag("answer"),
                        Math.toIntExact(json.number("body_start")));
        Urgency urgency =
                new Urgency(
                        header.id(),
                        header.priority(),
                        header.ts(),
                        Instant.parse(json.text("first_seen_at")),
                        header.ttl().duration(),
                        Duration.parse(json.text("half_life")),
                        Math.toIntExact(json.number("failures")),
                        json.optionalText("not_before_at").map(Instant::parse).orElse(null));
        return new Waiting.Mail(header, urgency, Math.toIntExact(json.number("attempt")), location);
    }
}
