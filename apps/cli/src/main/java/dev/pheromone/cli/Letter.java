package dev.pheromone.cli;

import dev.pheromone.Address;
import dev.pheromone.Attachment;
import dev.pheromone.Domain;
import dev.pheromone.Envelope;
import dev.pheromone.FromOrigin;
import dev.pheromone.IsoTime;
import dev.pheromone.Json;
import dev.pheromone.KeyId;
import dev.pheromone.SignatureCheck;
import dev.pheromone.State;
import dev.pheromone.cli.terminal.Ages;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.cli.terminal.Style;

import java.util.ArrayList;
import java.util.List;

/// One copy of an envelope as it is shown: opened, checked, and with its place.
record Letter(Envelope envelope, SignatureCheck check, Domain inbox, State state, String path) {

    /// The header's fields, the body, and what the checks showed.
    Json.Obj json() {
        List<String> to = new ArrayList<>();
        envelope.to().forEach(address -> to.add(address.toString()));
        List<String> attachments = new ArrayList<>();
        envelope.attachments().forEach(attachment -> attachments.add(attachment.toString()));
        return Json.obj()
                .put("id", envelope.id().text())
                .put("ts", IsoTime.format(envelope.ts()))
                .put("from", envelope.from().name())
                .put("from_origin", origin())
                .putTexts("to", to)
                .putIfPresent("reply_to", envelope.replyTo().map(Address::toString))
                .putIfPresent("correlation_id", envelope.correlationId().map(id -> id.text()))
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
                .put("body", envelope.bodyText())
                .put("signature", word(check))
                .put("hash_ok", envelope.hashMatches())
                .put("inbox", inbox.name())
                .put("state", state.toString())
                .put("path", path);
    }

    void show(Screen screen) {
        screen.line(screen.styled(Style.BOLD, SafeText.line(envelope.topic())));
        screen.line("from      " + envelope.from() + " (" + provenance() + ")");
        screen.line("to        " + joined(envelope.to()));
        screen.line("id        " + envelope.id());
        screen.line(
                "urgency   "
                        + envelope.priority()
                        + ", sent "
                        + Ages.relative(envelope.ts(), screen.now())
                        + ", expires "
                        + Ages.relative(envelope.expiresAt(), screen.now()));
        screen.line("lane      " + SafeText.line(envelope.lane().name()));
        envelope.scope().ifPresent(scope -> screen.line("scope     " + SafeText.line(scope)));
        envelope.correlationId().ifPresent(id -> screen.line("about     " + id));
        for (Attachment attachment : envelope.attachments()) {
            screen.line("attached  " + SafeText.line(attachment.path()));
        }
        if (!envelope.tags().isEmpty()) {
            screen.line("tags      " + SafeText.line(String.join(", ", envelope.tags())));
        }
        screen.line("state     " + state + " in " + inbox.address());
        if (!envelope.hashMatches()) {
            screen.line(
                    screen.styled(
                            Style.RED,
                            "warning   the body is not the one that the header's hash names"));
        }
        for (String warning : envelope.warnings()) {
            screen.line("warning   " + SafeText.line(warning));
        }
        screen.blank();
        screen.body(envelope.bodyText(), envelope.from().name());
    }

    /// The answers to choose from, if it is a question.
    List<String> choices() {
        List<String> choices = new ArrayList<>();
        for (String tag : envelope.tags()) {
            if (tag.startsWith(Composer.CHOICE_TAG)) {
                choices.add(tag.substring(Composer.CHOICE_TAG.length()));
            }
        }
        return choices;
    }

    static String word(SignatureCheck check) {
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

    private String provenance() {
        return switch (check) {
            case SignatureCheck.Valid(var kid, var actor, var human) ->
                    "signed with key " + kid + (human ? ", a person's" : "");
            case SignatureCheck.Unsigned unsigned ->
                    "unsigned, "
                            + envelope.fromOrigin().map(by -> "named by " + by + ", ").orElse("")
                            + "so anybody may have written it";
            case SignatureCheck.Bad(var reason) -> "bad signature: " + SafeText.line(reason);
        };
    }

    private static String joined(List<Address> addresses) {
        StringBuilder text = new StringBuilder();
        for (Address address : addresses) {
            text.append(text.isEmpty() ? "" : ", ").append(address);
        }
        return text.toString();
    }
}
