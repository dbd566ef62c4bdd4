package dev.pheromone.server;

import dev.pheromone.Receipt;
import dev.pheromone.SendResult;
import dev.pheromone.Transport;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.address.NoSuchInboxException;
import dev.pheromone.address.Reach;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.EnvelopeText;
import dev.pheromone.envelope.MalformedEnvelopeException;
import dev.pheromone.http.ClaimJson;
import dev.pheromone.http.ReceiptJson;
import dev.pheromone.life.Acceptance;
import dev.pheromone.text.Json;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// Sending mail, and looking at one envelope.
final class MailRoutes {

    private final Transport transport;
    private final EnvelopeLookup lookup;
    private final Passage passage;
    private final Reach reach;

    MailRoutes(Transport transport, Passage passage) {
        this.transport = transport;
        this.lookup = passage.lookup();
        this.passage = passage;
        this.reach = passage.reach();
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
        Optional<String> only = call.parameter("inbox");
        if (!envelope.consent().allows(reach)) {
            return problem(
                    403,
                    "beyond_consent",
                    "consent is %s, and this server reaches %s"
                            .formatted(envelope.consent(), reach),
                    ReceiptJson.write(beyondConsent(envelope, only)));
        }
        Receipt receipt =
                only.isEmpty()
                        ? transport.send(envelope)
                        : transport.send(envelope, InboxRoutes.domain(only.get()));
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
        if (any(receipt, SendResult.BeyondConsent.class)) {
            return problem(403, "beyond_consent", "it may not go as far as that", body);
        }
        for (Receipt.Copy copy : receipt.copies()) {
            if (copy.result() instanceof SendResult.NotPublic(var kinds, var reason)) {
                return Problem.of(422, "not_public", reason)
                        .with(body.put("kinds", Json.arr(kinds.stream().map(Json::of).toList())))
                        .reply();
            }
        }
        for (Receipt.Copy copy : receipt.copies()) {
            if (copy.result() instanceof SendResult.Withheld(var lock, var _, var mirror)) {
                return mirror.isEmpty()
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

    private Receipt beyondConsent(Envelope envelope, Optional<String> only) {
        SendResult result = new SendResult.BeyondConsent(envelope.consent(), reach);
        List<Address> targets =
                only.isEmpty() ? envelope.to() : List.of(InboxRoutes.domain(only.get()).address());
        return Receipt.forAll(envelope, targets, result);
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

    private Optional<EnvelopeLookup.Found> find(String text, Optional<String> inbox)
            throws IOException {
        if (!EnvelopeId.isId(text)) {
            return Optional.empty();
        }
        EnvelopeId id = EnvelopeId.parse(text);
        return inbox.isEmpty() ? lookup.find(id) : lookup.find(id, InboxRoutes.domain(inbox.get()));
    }

    private Reply read(Call call, String text) throws IOException {
        EnvelopeLookup.Found found = find(text, call.parameter("inbox")).orElse(null);
        // What a client may not see is not there, for that client.
        if (found == null || !passage.allows(found)) {
            throw Problem.of(404, "no_such_id", "no envelope has this id").thrown();
        }
        Domain inbox = found.inbox();
        return Reply.json(
                200,
                Json.obj()
                        .put("inbox", inbox.name())
                        .put("state", found.state().toString())
                        .putAll(ClaimJson.content(found.envelope())));
    }
}
