package dev.pheromone.http;

import dev.pheromone.Claim;
import dev.pheromone.Discreet;
import dev.pheromone.address.Actor;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.KeyId;
import dev.pheromone.envelope.MalformedEnvelopeException;
import dev.pheromone.text.Json;
import dev.pheromone.trust.SignatureCheck;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/// A claimed envelope as JSON: what it says, in the words of `rsm select --json`, and in `envelope`
/// its exact bytes in base64, which alone count where the two differ.
public final class ClaimJson {

    /// What parts the inbox from the token in the name of a claim; no inbox has one in its name.
    private static final char DOT = '.';

    private ClaimJson() {}

    /// A claim's name on the network: the token, with the inbox before it.
    public record Name(Domain inbox, String token) {

        public static Name parse(String text) {
            int dot = text.indexOf(DOT);
            if (dot < 0) {
                throw new IllegalArgumentException(
                        "claim: found \"" + text + "\", expected inbox.claim as select gave it");
            }
            return new Name(Domain.parse(text.substring(0, dot)), text.substring(dot + 1));
        }

        @Override
        public String toString() {
            return inbox.name() + DOT + token;
        }
    }

    public static Json.Obj write(Claim claim) {
        return Json.obj()
                .put("claim", new Name(claim.inbox(), claim.token()).toString())
                .put("inbox", claim.inbox().name())
                .put("worker", claim.worker().name())
                .put("attempt", claim.attempt())
                .put("claimed_at", claim.claimedAt().toString())
                .put("lease_ends_at", claim.leaseEndsAt().toString())
                .put("rationale", claim.rationale())
                .putAll(signature(claim.signature()))
                .putAll(content(claim.envelope()));
    }

    /// What an envelope says, and its bytes.
    public static Json.Obj content(Envelope envelope) {
        List<String> to = new ArrayList<>();
        envelope.to().forEach(address -> to.add(address.toString()));
        return Json.obj()
                .put("id", envelope.id().text())
                .put("ts", envelope.ts().toString())
                .put("from", envelope.from().name())
                .putTexts("to", to)
                .putIfPresent("reply_to", envelope.replyTo().map(Address::toString))
                .putIfPresent("correlation_id", envelope.correlationId().map(id -> id.text()))
                .put("lane", envelope.lane().name())
                .put("topic", envelope.topic())
                .put("priority", envelope.priority().name())
                .put("ttl", envelope.ttl().text())
                .put("expires_at", envelope.expiresAt().toString())
                .putIfPresent("scope", envelope.scope())
                .put("consent", envelope.consent().toString())
                .put("hash", envelope.hash().toString())
                .put("hash_ok", envelope.hashMatches())
                .putTexts("tags", envelope.tags())
                .put("body", envelope.bodyText())
                .put("envelope", Base64.getEncoder().encodeToString(envelope.bytes()));
    }

    private static Json.Obj signature(SignatureCheck check) {
        return switch (check) {
            case SignatureCheck.Valid(var kid, var actor, var human) ->
                    Json.obj()
                            .put("signature", "valid")
                            .put("kid", kid.name())
                            .put("signer", actor.name())
                            .put("human", human);
            case SignatureCheck.Unsigned _ -> Json.obj().put("signature", "unsigned");
            case SignatureCheck.Bad(var reason) ->
                    Json.obj().put("signature", "bad").put("reason", Discreet.text(reason));
        };
    }

    /// The inverse of `write`.
    ///
    /// @param location what stands for the place of the file, since the server keeps that to itself
    static Claim read(Json.Obj json, String location) throws MalformedEnvelopeException {
        Name name = Name.parse(json.text("claim"));
        return new Claim(
                name.token(),
                Envelope.parse(Base64.getDecoder().decode(json.text("envelope"))),
                name.inbox(),
                Actor.parse(json.text("worker")),
                Math.toIntExact(json.number("attempt")),
                Instant.parse(json.text("claimed_at")),
                Instant.parse(json.text("lease_ends_at")),
                signature(json),
                json.text("rationale"),
                location);
    }

    private static SignatureCheck signature(Json.Obj json) {
        return switch (json.text("signature")) {
            case "valid" ->
                    new SignatureCheck.Valid(
                            KeyId.parse(json.text("kid")),
                            Actor.parse(json.text("signer")),
                            json.flag("human"));
            case "unsigned" -> new SignatureCheck.Unsigned();
            default -> new SignatureCheck.Bad(json.optionalText("reason").orElse(""));
        };
    }
}
