package dev.pheromone.session.passkey;

import dev.pheromone.address.Actor;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.life.ClaimToken;
import dev.pheromone.text.Json;

import java.nio.charset.StandardCharsets;
import java.util.List;

/// What is for people, as the person means it who does it.
///
/// @param kind in a word, such as `unlock`
/// @param target what it is done to
/// @param what the same in words, as people are asked
/// @param content all else that belongs to it; a field that the event about the deed has too has
///   the same name
public record Deed(String kind, String target, String what, Json.Obj content) {

    public static final String UNLOCK = "unlock";
    public static final String OVERRIDE = "override";
    public static final String MUTE = "mute";
    public static final String UNMUTE = "unmute";
    public static final String TRUST = "trust";
    public static final String REVOKE = "revoke";
    public static final String ANSWER = "answer";
    public static final String END = "end";

    /// A deed that its kind and target say all of.
    public static Deed of(String kind, String target, String what) {
        return new Deed(kind, target, what, Json.obj());
    }

    /// The same, with more that belongs to it.
    public Deed with(String name, String value) {
        return new Deed(kind, target, what, content.put(name, value));
    }

    /// The same, with texts of which only a hash is kept: there may be many.
    public Deed withAll(String name, List<String> texts) {
        String joined = String.join("\n", texts);
        return with(
                name, texts.size() + " " + ContentHash.of(joined.getBytes(StandardCharsets.UTF_8)));
    }

    /// An answer to the question of this id.
    public static Deed answer(String question, Envelope mail) {
        return of(ANSWER, question, "answering " + question)
                .with("mail", mail.id().text())
                // The hash is that of the body, and what counts stands in the header.
                .with("hash", mail.hash().toString())
                .with("answer", mail.answer().orElse(""))
                .with("consent", mail.consent().toString());
    }

    /// Ending the claim of another.
    ///
    /// @param how the claim ends
    public static Deed end(ClaimToken claim, String how, String note) {
        // With its whole name anybody could end the claim, and the log is read by many.
        return of(END, claim.id().text(), "ending what " + claim.worker() + " works on")
                .with("worker", claim.worker().name())
                .withAll("claim", List.of(claim.toString(), how, note));
    }

    public static Deed mute(Actor actor) {
        return of(MUTE, actor.name(), "muting " + actor).with("sender", actor.name());
    }

    public static Deed unmute(Actor actor) {
        return of(UNMUTE, actor.name(), "hearing " + actor).with("sender", actor.name());
    }

    /// The hash of the content.
    public ContentHash hash() {
        return hash(content);
    }

    static ContentHash hash(Json.Obj content) {
        return ContentHash.of(content.toString().getBytes(StandardCharsets.UTF_8));
    }
}
