package dev.pheromone.nats;

import dev.pheromone.State;
import dev.pheromone.address.Actor;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.life.ClaimToken;
import dev.pheromone.life.Life;
import dev.pheromone.life.Life.Holder;
import dev.pheromone.life.Resend;
import dev.pheromone.life.Resend.Likeness;
import dev.pheromone.life.Step.Closing;
import dev.pheromone.life.Why;
import dev.pheromone.text.Json;
import dev.pheromone.text.MalformedJsonException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;

/// The life of one copy as it is kept on the server, for ever: the truth about who holds the copy
/// and whether it is finished. The server's own bookkeeping of deliveries only says when to look
/// again.
///
/// @param sequence where the copy lies in the stream; 0 until anything is written about it
/// @param ackSubject where the server wants to hear about the delivery that was claimed last
record MailRecord(Life life, long sequence, String ackSubject) {

    static MailRecord fresh(ContentHash mail, Instant firstSeen) {
        return new MailRecord(Life.begun(mail, firstSeen), 0, "");
    }

    MailRecord with(Life next) {
        return new MailRecord(next, sequence, ackSubject);
    }

    MailRecord at(long place) {
        return new MailRecord(life, place, ackSubject);
    }

    /// Whether this life has ended and left its id free.
    boolean leavesFree(EnvelopeId id) {
        return life.sentAgain(Likeness.SAME, id) instanceof Resend.Anew;
    }

    boolean isOf(ContentHash mail) {
        return life.mail().equals(mail);
    }

    byte[] bytes() {
        Holder holder = life.holder();
        String note = holder == null ? life.note() : noteFor01(holder);
        Json.Obj json =
                Json.obj()
                        .put("mail", life.mail().toString())
                        .put("state", life.state().toString())
                        .put("first_seen_at", life.firstSeen().toString())
                        .put("failures", life.failures())
                        .putIfPresent("not_before_at", text(life.notBefore()))
                        .put("sequence", sequence)
                        .putIfPresent("why", text(life.why()))
                        .putIfPresent("note", note.isEmpty() ? null : note);
        if (holder != null) {
            json =
                    json.put(
                            "claim",
                            Json.obj()
                                    .put("token", holder.claim())
                                    .put("worker", holder.worker().toString())
                                    .put("lease_ms", holder.lease().toMillis())
                                    .put("ends_at", holder.leaseEndsAt().toString())
                                    .put("ack", ackSubject)
                                    .putIfPresent("ended", text(holder.closing())));
        }
        return json.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static @Nullable String text(@Nullable Object value) {
        return value == null ? null : value.toString();
    }

    static MailRecord parse(byte[] bytes) throws IOException {
        try {
            if (!(Json.parse(bytes) instanceof Json.Obj json)) {
                throw new IOException("record: found no JSON object, expected one");
            }
            State state = State.parse(json.text("state"));
            int failures = Math.toIntExact(json.number("failures"));
            String note = json.optionalText("note").orElse("");
            Json.@Nullable Obj claim = json.has("claim") ? json.object("claim") : null;
            @Nullable Holder holder = claim == null ? null : holder(claim, state, failures, note);
            return new MailRecord(
                    new Life(
                            ContentHash.parse(json.text("mail")),
                            state,
                            Instant.parse(json.text("first_seen_at")),
                            failures,
                            json.optionalText("not_before_at").map(Instant::parse).orElse(null),
                            holder,
                            json.optionalText("why")
                                    .map(Why::parse)
                                    .orElseGet(() -> whyOf01(state, failures)),
                            holder != null && note.equals(leaseNote(holder.worker())) ? "" : note),
                    json.number("sequence"),
                    claim == null ? "" : claim.text("ack"));
        } catch (MalformedJsonException | RuntimeException e) {
            throw new IOException("record: " + e.getMessage(), e);
        }
    }

    private static Holder holder(Json.Obj json, State state, int failures, String note) {
        String claim = json.text("token");
        Actor worker = Actor.parse(json.text("worker"));
        return new Holder(
                claim,
                worker,
                Duration.ofMillis(json.number("lease_ms")),
                Instant.parse(json.text("ends_at")),
                json.optionalText("ended")
                        .map(Closing::parse)
                        .orElseGet(() -> closingOf01(state, failures, note, claim, worker)));
    }

    // What version 0.1 wrote does not say how a claim ended, nor why a life is over, but for the
    // note of a lost lease.

    private String noteFor01(Holder holder) {
        boolean isLost = holder.closing() == Closing.LEASE && life.state() == State.WAITING;
        return isLost ? leaseNote(holder.worker()) : life.note();
    }

    private static String leaseNote(Actor worker) {
        return "the lease of " + worker + " ended";
    }

    private static @Nullable Closing closingOf01(
            State state, int failures, String note, String claim, Actor worker) {
        return switch (state) {
            case ACTIVE -> null;
            case DONE -> Closing.DONE;
            case WAITING, DEAD ->
                    note.equals(leaseNote(worker))
                            ? Closing.LEASE
                            : failures == ClaimToken.attemptOf(claim)
                                    ? Closing.FAILED
                                    : Closing.RELEASED;
            case EXPIRED, DUPLICATE, CONFLICT -> Closing.LEASE;
        };
    }

    private static @Nullable Why whyOf01(State state, int failures) {
        return switch (state) {
            case WAITING, ACTIVE -> null;
            case DONE -> Why.DONE;
            case EXPIRED -> Why.EXPIRED;
            // The one refusal that was recorded; whatever had its last attempt has failed before.
            case DEAD -> failures == 0 ? Why.DATED_AHEAD : Why.ATTEMPTS;
            case DUPLICATE -> Why.SAME_FINISHED;
            case CONFLICT -> Why.OTHER_FINISHED;
        };
    }
}
