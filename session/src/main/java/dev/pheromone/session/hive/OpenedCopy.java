package dev.pheromone.session.hive;

import dev.pheromone.State;
import dev.pheromone.address.Address;
import dev.pheromone.address.Domain;
import dev.pheromone.envelope.Ask;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.FromOrigin;
import dev.pheromone.envelope.KeyId;
import dev.pheromone.life.Acceptance;
import dev.pheromone.question.Question;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;
import dev.pheromone.trust.SignatureCheck;

import java.util.ArrayList;
import java.util.List;

/// One copy of an envelope: opened, checked, and with its place.
public record OpenedCopy(
        Envelope envelope, SignatureCheck check, Domain inbox, State state, String path) {

    /// The prefix of the tags in which version 0.1 wrote the answers to choose from.
    private static final String CHOICE_TAG = "choice:";

    /// The header's fields, the body, and what the checks showed.
    public Json.Obj json() {
        List<String> to = new ArrayList<>();
        envelope.to().forEach(address -> to.add(address.toString()));
        List<String> attachments = new ArrayList<>();
        envelope.attachments().forEach(attachment -> attachments.add(attachment.toString()));
        Json.Obj json =
                Json.obj()
                        .put("id", envelope.id().text())
                        .put("ts", IsoTime.format(envelope.ts()))
                        .put("from", envelope.from().name())
                        .put("from_origin", origin())
                        .putTexts("to", to)
                        .putIfPresent("reply_to", envelope.replyTo().map(Address::toString))
                        .putIfPresent(
                                "correlation_id", envelope.correlationId().map(id -> id.text()))
                        .put("lane", envelope.lane().name())
                        .put("topic", envelope.topic())
                        .put("priority", envelope.priority().name())
                        .put("ttl", envelope.ttl().text())
                        .put("expires_at", IsoTime.format(envelope.expiresAt()))
                        .putIfPresent("scope", envelope.scope())
                        .put("consent", envelope.consent().toString())
                        .put("hash", envelope.hash().toString())
                        .putTexts("tags", envelope.tags())
                        .putTexts("attachments", attachments)
                        .put("hops", envelope.hops())
                        .putIfPresent("kid", envelope.kid().map(KeyId::name))
                        .putTexts("choices", choices())
                        .putIfPresent("answer", envelope.answer())
                        .put("body", envelope.bodyText())
                        .put("signature", word(check))
                        .put("proof", Proof.of(check).word())
                        .put("hash_ok", envelope.hashMatches())
                        .put("inbox", inbox.name())
                        .put("state", state.toString())
                        .put("path", path);
        return envelope.ask().isPresent()
                ? json.put("ask", askJson(envelope, envelope.ask().get()))
                : json;
    }

    private static Json.Obj askJson(Envelope envelope, Ask ask) {
        Question question = Question.of(envelope).orElseThrow();
        List<String> of = new ArrayList<>();
        question.of().forEach(address -> of.add(address.toString()));
        return Json.obj()
                .put("free", ask.free())
                .putIfPresent("default", ask.fallback())
                .put("ends_at", IsoTime.format(question.endsAt()))
                .putTexts("of", of);
    }

    /// The answers to choose from, if it is a question. Version 0.1 wrote them as tags.
    public List<String> choices() {
        if (envelope.ask().isPresent()) {
            return envelope.ask().get().choices();
        }
        List<String> choices = new ArrayList<>();
        for (String tag : envelope.tags()) {
            if (tag.startsWith(CHOICE_TAG)) {
                choices.add(tag.substring(CHOICE_TAG.length()));
            }
        }
        return choices;
    }

    /// The envelope, if it is what its sender wrote.
    public Envelope genuine() {
        if (!envelope.hashMatches()) {
            throw forged(Acceptance.WRONG_HASH.toString());
        }
        if (check instanceof SignatureCheck.Bad(var reason)) {
            throw forged("signature: " + reason);
        }
        return envelope;
    }

    private ProblemException forged(String problem) {
        return new ProblemException(
                        ProblemException.Code.BAD_MAIL,
                        path + ": " + problem + "; nothing was sent")
                .hint("if it says what it should, send it as your own with rsm send; it says:")
                .fix("rsm read " + envelope.id().shortForm());
    }

    public static String word(SignatureCheck check) {
        return switch (check) {
            case SignatureCheck.Valid valid -> "valid";
            case SignatureCheck.Unsigned unsigned -> "unsigned";
            case SignatureCheck.Bad bad -> "bad";
        };
    }

    /// Where the sender's name came from: a key that proves it, or what the sender says of it.
    private String origin() {
        return check instanceof SignatureCheck.Valid
                ? "key"
                : envelope.fromOrigin().map(FromOrigin::toString).orElse("unknown");
    }
}
