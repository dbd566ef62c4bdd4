package dev.pheromone.mcp.hive;

import dev.pheromone.envelope.Envelope;
import dev.pheromone.mcp.Call;
import dev.pheromone.session.Session;
import dev.pheromone.session.hive.OpenedCopy;
import dev.pheromone.session.hive.Proof;
import dev.pheromone.session.question.Conversation;
import dev.pheromone.text.Json;
import dev.pheromone.text.ShownText;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// `read`: one envelope, without taking it, and which mail belongs to it.
final class ReadTool implements Tool {

    private static final int PAGES_MAX = 1_000;

    @Override
    public Told run(Session session, Arguments said, Setting setting, Call call)
            throws IOException {
        OpenedCopy copy = session.read(said.required("id"), null);
        Shown shown = Shown.of(copy, said.count("page", 1, PAGES_MAX));
        Conversation around = session.conversation(copy);
        StringBuilder text = new StringBuilder(shown.text());
        List<Json> thread = new ArrayList<>();
        for (OpenedCopy before : around.before()) {
            text.append("in return to ").append(line(before));
            thread.add(json(before, "before"));
        }
        for (OpenedCopy after : around.after()) {
            text.append("answered by ").append(line(after));
            thread.add(json(after, "after"));
        }
        return Told.of(
                text.toString(),
                thread.isEmpty() ? shown.json() : shown.json().put("thread", new Json.Arr(thread)));
    }

    private static String line(OpenedCopy copy) {
        Envelope envelope = copy.envelope();
        return envelope.id().shortForm()
                + " from "
                + ShownText.line(envelope.from().name())
                + " ("
                + Proof.of(copy.check()).phrase()
                + "), "
                + copy.state()
                + ", topic: "
                + ShownText.line(envelope.topic())
                + "\n";
    }

    private static Json.Obj json(OpenedCopy copy, String side) {
        Envelope envelope = copy.envelope();
        return Json.obj()
                .put("side", side)
                .put("id", envelope.id().text())
                .put("from", envelope.from().name())
                .put("proof", Proof.of(copy.check()).word())
                .put("topic", ShownText.line(envelope.topic()))
                .put("state", copy.state().toString());
    }
}
