package dev.pheromone.mqtt;

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

/// What is known of one copy of an envelope, for ever: who holds it, and how it ended. Written by
/// the keeper of its inbox alone; mail that nobody claimed yet has none.
///
/// @param mail the fingerprint of the envelope
/// @param failures attempts that came to nothing
/// @param holding the claim, or the last one there was
/// @param firstSeen when it was sent; not kept once it has ended
/// @param note why it ended or was given back
/// @param ask the question whose answer it is, so that asking again changes nothing
record MailRecord(
        ContentHash mail,
        State state,
        Instant firstSeen,
        int failures,
        @Nullable Instant notBefore,
        @Nullable Holding holding,
        String note,
        String ask) {

    private static final Duration PAUSE_BASE = Duration.ofSeconds(5);
    private static final Duration PAUSE_MAX = Duration.ofMinutes(10);

    /// More doublings than any pause has.
    private static final int DOUBLINGS_MAX = 16;

    /// Who held it is not kept once it has ended; the claim's name tells it to people.
    private static final Actor NOBODY = Actor.parse("nobody");

    /// A claim.
    record Holding(String token, Actor worker, Duration lease, Instant claimedAt, Instant endsAt) {}

    static MailRecord fresh(ContentHash mail, Instant firstSeen) {
        return new MailRecord(mail, State.WAITING, firstSeen, 0, null, null, "", "");
    }

    boolean isHeldBy(String token) {
        return holding != null && holding.token().equals(token);
    }

    MailRecord claimed(Holding by, String asked) {
        return new MailRecord(mail, State.ACTIVE, firstSeen, failures, null, by, "", asked);
    }

    MailRecord renewed(Holding longer) {
        return new MailRecord(mail, state, firstSeen, failures, notBefore, longer, note, ask);
    }

    MailRecord released(@Nullable Instant until, String why, String asked) {
        return new MailRecord(mail, State.WAITING, firstSeen, failures, until, holding, why, asked);
    }

    /// After one more failure at `when`: it waits, or is dead if that was the last attempt.
    MailRecord failed(Instant when, int attemptsMax, String why, String asked) {
        int count = failures + 1;
        boolean isLast = count >= attemptsMax;
        Duration pause = PAUSE_BASE.multipliedBy(1L << Math.min(count, DOUBLINGS_MAX));
        Instant until = when.plus(pause.compareTo(PAUSE_MAX) > 0 ? PAUSE_MAX : pause);
        return new MailRecord(
                mail,
                isLast ? State.DEAD : State.WAITING,
                firstSeen,
                count,
                isLast ? null : until,
                holding,
                why,
                asked);
    }

    MailRecord ended(State end, String why, String asked) {
        return new MailRecord(mail, end, firstSeen, failures, null, holding, why, asked);
    }

    /// As it lies on the broker. Of what has ended only what is needed to know it again: there are
    /// many of them, and the broker writes them all at each change.
    byte[] bytes() {
        Json.Obj json =
                Json.obj()
                        .put("mail", mail.toString())
                        .put("state", state.toString())
                        .putIfPresent("note", note.isEmpty() ? null : note)
                        .putIfPresent("ask", ask.isEmpty() ? null : ask);
        Holding by = holding;
        if (by != null) {
            json = json.put("claim", by.token());
        }
        if (!state.isFinal()) {
            json =
                    json.put("first_seen_at", firstSeen.toString())
                            .put("failures", failures)
                            .putIfPresent("not_before_at", text(notBefore));
        }
        if (!state.isFinal() && by != null) {
            json =
                    json.put("worker", by.worker().toString())
                            .put("lease_ms", by.lease().toMillis())
                            .put("claimed_at", by.claimedAt().toString())
                            .put("ends_at", by.endsAt().toString());
        }
        return json.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static @Nullable String text(@Nullable Instant time) {
        return time == null ? null : time.toString();
    }

    static MailRecord parse(byte[] bytes) throws IOException {
        try {
            if (!(Json.parse(bytes) instanceof Json.Obj json)) {
                throw new IOException("record: found no JSON object, expected one");
            }
            State state = State.parse(json.text("state"));
            return new MailRecord(
                    ContentHash.parse(json.text("mail")),
                    state,
                    json.optionalText("first_seen_at").map(Instant::parse).orElse(Instant.EPOCH),
                    Math.toIntExact(json.optionalNumber("failures").orElse(0)),
                    json.optionalText("not_before_at").map(Instant::parse).orElse(null),
                    json.has("claim") ? holding(json, state) : null,
                    json.optionalText("note").orElse(""),
                    json.optionalText("ask").orElse(""));
        } catch (MalformedJsonException | RuntimeException e) {
            throw new IOException("record: " + e.getMessage(), e);
        }
    }

    private static Holding holding(Json.Obj json, State state) {
        String token = json.text("claim");
        return state.isFinal()
                ? new Holding(token, NOBODY, Duration.ZERO, Instant.EPOCH, Instant.EPOCH)
                : new Holding(
                        token,
                        Actor.parse(json.text("worker")),
                        Duration.ofMillis(json.number("lease_ms")),
                        Instant.parse(json.text("claimed_at")),
                        Instant.parse(json.text("ends_at")));
    }
}
