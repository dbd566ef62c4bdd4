package dev.pheromone.nats;

import dev.pheromone.Actor;
import dev.pheromone.ContentHash;
import dev.pheromone.Json;
import dev.pheromone.MalformedJsonException;
import dev.pheromone.State;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;

/// What is known of one copy of an envelope, for ever: the truth about who holds it and whether it
/// is finished. The server's own bookkeeping of deliveries only says when to look again.
///
/// @param mail the fingerprint of the envelope
/// @param failures attempts that came to nothing
/// @param sequence where the copy lies in the stream; 0 until anything is written about it
/// @param holding the claim, or the last one there was
/// @param note why it ended, if it ended badly
record MailRecord(
        ContentHash mail,
        State state,
        Instant firstSeen,
        int failures,
        @Nullable Instant notBefore,
        long sequence,
        @Nullable Holding holding,
        String note) {

    private static final Duration PAUSE_BASE = Duration.ofSeconds(5);
    private static final Duration PAUSE_MAX = Duration.ofMinutes(10);

    /// More doublings than any pause has.
    private static final int DOUBLINGS_MAX = 16;

    /// A claim.
    ///
    /// @param ackSubject where the server wants to hear about this delivery, from whoever
    record Holding(String token, Actor worker, Duration lease, Instant endsAt, String ackSubject) {}

    static MailRecord fresh(ContentHash mail, Instant firstSeen) {
        return new MailRecord(mail, State.WAITING, firstSeen, 0, null, 0, null, "");
    }

    MailRecord claimed(long at, Holding by) {
        return new MailRecord(mail, State.ACTIVE, firstSeen, failures, null, at, by, "");
    }

    MailRecord renewed(Instant endsAt) {
        Holding held = holding();
        return held == null
                ? this
                : new MailRecord(
                        mail,
                        state,
                        firstSeen,
                        failures,
                        notBefore,
                        sequence,
                        new Holding(
                                held.token(),
                                held.worker(),
                                held.lease(),
                                endsAt,
                                held.ackSubject()),
                        note);
    }

    /// @param until how long nobody is to take it; null for not at all
    MailRecord released(@Nullable Instant until) {
        return new MailRecord(
                mail, State.WAITING, firstSeen, failures, until, sequence, holding, "");
    }

    /// After one more failure at `when`: it waits, or is dead if that was the last attempt.
    MailRecord failed(Instant when, int attemptsMax, String why) {
        int count = failures + 1;
        if (count >= attemptsMax) {
            return new MailRecord(mail, State.DEAD, firstSeen, count, null, sequence, holding, why);
        }
        Duration pause = PAUSE_BASE.multipliedBy(1L << Math.min(count, DOUBLINGS_MAX));
        Instant until = when.plus(pause.compareTo(PAUSE_MAX) > 0 ? PAUSE_MAX : pause);
        return new MailRecord(mail, State.WAITING, firstSeen, count, until, sequence, holding, why);
    }

    /// After the lease of whoever held it was over.
    MailRecord leaseEnded(Instant when, int attemptsMax) {
        return failed(when, attemptsMax, leaseEndedNote());
    }

    private String leaseEndedNote() {
        Holding held = holding();
        return held == null ? "" : "the lease of " + held.worker() + " ended";
    }

    /// Whether the last that happened is that whoever held the claim of `attempt` said that it
    /// failed.
    boolean isFailedByHolder(int attempt) {
        return (state == State.WAITING || state == State.DEAD)
                && failures == attempt
                && !note.equals(leaseEndedNote());
    }

    /// Whether the last that happened is that the claim of `attempt` was released.
    boolean isReleased(int attempt) {
        return state == State.WAITING && failures == attempt - 1;
    }

    MailRecord ended(State end, long at, String why) {
        return new MailRecord(mail, end, firstSeen, failures, null, at, holding, why);
    }

    byte[] bytes() {
        Json.Obj json =
                Json.obj()
                        .put("mail", mail.toString())
                        .put("state", state.toString())
                        .put("first_seen_at", firstSeen.toString())
                        .put("failures", failures)
                        .putIfPresent(
                                "not_before_at", notBefore == null ? null : notBefore.toString())
                        .put("sequence", sequence)
                        .putIfPresent("note", note.isEmpty() ? null : note);
        if (holding != null) {
            json =
                    json.put(
                            "claim",
                            Json.obj()
                                    .put("token", holding.token())
                                    .put("worker", holding.worker().toString())
                                    .put("lease_ms", holding.lease().toMillis())
                                    .put("ends_at", holding.endsAt().toString())
                                    .put("ack", holding.ackSubject()));
        }
        return json.toString().getBytes(StandardCharsets.UTF_8);
    }

    static MailRecord parse(byte[] bytes) throws IOException {
        try {
            if (!(Json.parse(bytes) instanceof Json.Obj json)) {
                throw new IOException("record: found no JSON object, expected one");
            }
            return new MailRecord(
                    ContentHash.parse(json.text("mail")),
                    State.parse(json.text("state")),
                    Instant.parse(json.text("first_seen_at")),
                    Math.toIntExact(json.number("failures")),
                    json.optionalText("not_before_at").map(Instant::parse).orElse(null),
                    json.number("sequence"),
                    json.has("claim") ? holding(json.object("claim")) : null,
                    json.optionalText("note").orElse(""));
        } catch (MalformedJsonException | RuntimeException e) {
            throw new IOException("record: " + e.getMessage(), e);
        }
    }

    private static Holding holding(Json.Obj json) {
        return new Holding(
                json.text("token"),
                Actor.parse(json.text("worker")),
                Duration.ofMillis(json.number("lease_ms")),
                Instant.parse(json.text("ends_at")),
                json.text("ack"));
    }
}
