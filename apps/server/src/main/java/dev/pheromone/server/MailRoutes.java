package dev.pheromone.server;

import dev.pheromone.Receipt;
import dev.pheromone.SendResult;
import dev.pheromone.Transport;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.EnvelopeText;
import dev.pheromone.envelope.MalformedEnvelopeException;
import dev.pheromone.http.ClaimJson;
import dev.pheromone.http.ReceiptJson;
import dev.pheromone.life.Acceptance;
import dev.pheromone.session.ServedSession;
import dev.pheromone.text.Json;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// Sending mail, and looking at one envelope.
final class MailRoutes {

    private final ServedSession session;

    MailRoutes(ServedSession session) {
        this.session = session;
    }

    List<Route> routes() {
        return List.of(
                new Route("POST", "/v1/envelopes", (call, _) -> send(call)),
                new Route(
                        "GET",
                        "/v1/envelopes/{id}",
                        (call, parts) -> read(call, parts.getFirst())));
    }

    private Reply send(Call call) throws IOException, NoSuchInboxException {
        Envelope envelope = parse(call.body("text/markdown", EnvelopeText.ENVELOPE_BYTES_MAX));
        Receipt receipt = session.send(envelope, InboxRoutes.wanted(call));
        Json.Obj body = ReceiptJson.write(receipt);
        // Of several copies the one that needs most attention decides, as at the command line.
        if (any(receipt, SendResult.Failed.class)) {
            return problem(503, "io", "the hive could not store every copy", body);
        }
        if (any(receipt, SendResult.Conflict.class)) {
            return problem(409, "conflict", "another envelope has this id", body);
        }
        if (any(receipt, SendResult.Rejected.class)) {
            return problem(422, "rejected", "not every inbox takes this envelope", body);
        }
        for (Receipt.Copy copy : receipt.copies()) {
            if (copy.result() instanceof SendResult.BeyondConsent(var consent, var reach)) {
                return problem(
                        403,
                        "beyond_consent",
                        "consent is %s, and this server reaches %s".formatted(consent, reach),
                        body);
            }
        }
        for (Receipt.Copy copy : receipt.copies()) {
            if (copy.result() instanceof SendResult.NotPublic(var kinds, var reason)) {
                return Problem.of(422, "not_public", reason)
                        .with(body.put("kinds", Json.arr(kinds.stream().map(Json::of).toList())))
                        .reply();
            }
        }
        for (Receipt.Copy copy : receipt.copies()) {
            if (copy.result() instanceof SendResult.Withheld(var lock, var _, var embargo)) {
                return embargo.isEmpty()
                        ? problem(423, "withheld", "a lock is in force: " + lock.kind(), body)
                        : Reply.json(202, body);
            }
        }
        Duration wait = Duration.ZERO;
        for (Receipt.Copy copy : receipt.copies()) {
            if (copy.result() instanceof SendResult.Refused(var retryAfter, var _)
                    && retryAfter.compareTo(wait) >= 0) {
                wait = retryAfter;
            }
        }
        if (any(receipt, SendResult.Refused.class)) {
            return Problem.of(429, "refused", "not now; sending it again later is safe")
                    .with("Retry-After", String.valueOf(ReceiptJson.seconds(wait)))
                    .with(body)
                    .reply();
        }
        if (any(receipt, SendResult.Parked.class)
                || any(receipt, SendResult.Spooled.class)
                || any(receipt, SendResult.Unanswered.class)) {
            return Reply.json(202, body);
        }
        boolean isNew =
                any(receipt, SendResult.Delivered.class)
                        || any(receipt, SendResult.Unconfirmed.class);
        return Reply.json(isNew ? 201 : 200, body);
    }

    private static Envelope parse(byte[] bytes) {
        try {
            Envelope envelope = Envelope.parse(bytes);
            if (!envelope.hashMatches()) {
                throw Problem.of(422, "bad_mail", Acceptance.WRONG_HASH.toString())
                        .with(Json.obj().put("field", Acceptance.WRONG_HASH.field()))
                        .thrown();
            }
            return envelope;
        } catch (MalformedEnvelopeException e) {
            throw Problem.of(422, "bad_mail", String.valueOf(e.getMessage()))
                    .with(
                            Json.obj()
                                    .put("line", e.line())
                                    .put("column", e.column())
                                    .putIfPresent("field", e.field()))
                    .thrown();
        }
    }

    private static boolean any(Receipt receipt, Class<? extends SendResult> kind) {
        return receipt.copies().stream().anyMatch(copy -> kind.isInstance(copy.result()));
    }

    private static Reply problem(int status, String code, String detail, Json.Obj body) {
        return Problem.of(status, code, detail).with(body).reply();
    }

    private Reply read(Call call, String text) throws IOException {
        Domain wanted = InboxRoutes.wanted(call);
        // What a client may not see is not there, for that client.
        Transport.Found found =
                (EnvelopeId.isId(text)
                                ? session.find(EnvelopeId.parse(text), wanted)
                                : Optional.<Transport.Found>empty())
                        .orElseThrow(() ->
                                Problem.of(404, "no_such_id", "no envelope has this id").thrown());
        return Reply.json(
                200,
                Json.obj()
                        .put("inbox", found.inbox().name())
                        .put("state", found.state().toString())
                        .putAll(ClaimJson.content(found.envelope())));
    }
}
