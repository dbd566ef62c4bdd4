package dev.pheromone.mcp.hive;

import dev.pheromone.envelope.Envelope;
import dev.pheromone.session.hive.MailFrame;
import dev.pheromone.session.hive.OpenedCopy;
import dev.pheromone.session.hive.Proof;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;
import dev.pheromone.text.ShownText;

import java.util.ArrayList;
import java.util.List;

/// One envelope as a model reads it: what is known of it, and a page of its text in a frame.
///
/// @param text for a model
/// @param json the same for a program, with the text in the same frame
record Shown(String text, Json.Obj json) {

    static Shown of(OpenedCopy copy, int page) {
        Envelope envelope = copy.envelope();
        Pages body = Pages.of(envelope.bodyText(), page);
        String framed = MailFrame.of(copy).around(body.text());
        String id = envelope.id().shortForm();
        StringBuilder text = new StringBuilder();
        text.append(id)
                .append("  ")
                .append(envelope.priority())
                .append("  topic: ")
                .append(ShownText.line(envelope.topic()))
                .append('\n')
                .append("from ")
                .append(ShownText.line(envelope.from().name()))
                .append(" (")
                .append(Proof.of(copy.check()).phrase())
                .append("), sent ")
                .append(IsoTime.format(envelope.ts()))
                .append(", ")
                .append(copy.state())
                .append(" in ")
                .append(copy.inbox().address())
                .append('\n');
        envelope.scope()
                .ifPresent(
                        scope -> text.append("scope: ").append(ShownText.line(scope)).append('\n'));
        if (!envelope.hashMatches()) {
            text.append("warning: the body is not the one that the header's hash names\n");
        }
        text.append(framed);
        if (body.count() > 1) {
            text.append("page ")
                    .append(body.page())
                    .append(" of ")
                    .append(body.count())
                    .append("; read with page gives the others\n");
        }
        List<String> choices = new ArrayList<>();
        copy.choices().forEach(choice -> choices.add(ShownText.line(choice)));
        if (envelope.ask().isPresent()) {
            text.append("it is a question; answer with send and reply_to ")
                    .append(id)
                    .append(", or with done and reply: ")
                    .append(String.join(" | ", choices))
                    .append(choices.isEmpty() ? "any text" : "")
                    .append(
                            !choices.isEmpty() && envelope.ask().get().free()
                                    ? ", or any text\n"
                                    : "\n");
        }
        Json.Obj json =
                Json.obj()
                        .put("id", envelope.id().text())
                        .put("from", envelope.from().name())
                        .put("proof", Proof.of(copy.check()).word())
                        .put("topic", ShownText.line(envelope.topic()))
                        .put("priority", envelope.priority().name())
                        .put("sent_at", IsoTime.format(envelope.ts()))
                        .put("expires_at", IsoTime.format(envelope.expiresAt()))
                        .put("state", copy.state().toString())
                        .put("inbox", copy.inbox().address().toString())
                        .put("text", framed)
                        .put("page", body.page())
                        .put("pages", body.count());
        if (!choices.isEmpty()) {
            json = json.putTexts("choices", choices);
        }
        return new Shown(text.toString(), json);
    }
}
