package dev.pheromone.mcp.hive;

import dev.pheromone.Receipt;
import dev.pheromone.SendResult;
import dev.pheromone.address.Address;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Priority;
import dev.pheromone.mcp.Call;
import dev.pheromone.session.Session;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.caller.ProblemException.Code;
import dev.pheromone.session.mail.CopyFate;
import dev.pheromone.session.mail.Draft;
import dev.pheromone.session.mail.Sent;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;
import dev.pheromone.text.ShownText;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// `send`: mail, or an answer to mail.
final class SendTool implements Tool {

    private static final String KEPT = "kept";

    /// The states of copies that arrived, or will without more ado.
    private static final Set<String> SAFE = Set.of("delivered", "duplicate", KEPT);

    @Override
    public Told run(Session session, Arguments said, Setting setting, Call call)
            throws IOException {
        String key = said.text("key");
        String priority = said.text("priority");
        Draft draft =
                new Draft(bytes(said.required("body")))
                        .topic(said.text("topic"))
                        .priority(priority == null ? null : Priority.parse(priority))
                        .ttl(said.ttl("ttl"))
                        .id(key == null ? null : EnvelopeId.ofKey(setting.caller().actor(), key))
                        .answering(said.flag("comment") ? Draft.Answering.NO : Draft.Answering.YES);
        String answered = said.text("reply_to");
        List<String> to = said.texts("to");
        if ((answered == null) == to.isEmpty()) {
            throw new ProblemException(
                    Code.USAGE,
                    answered == null
                            ? "found no recipient, expected to, or reply_to"
                            : "found to and reply_to, expected one of them");
        }
        List<Address> addresses = new ArrayList<>();
        for (String address : to) {
            addresses.add(Arguments.address("to", address));
        }
        return told(
                answered == null ? session.mail(addresses, draft) : session.reply(answered, draft));
    }

    /// The bytes of a text, which ends with a line end as files do.
    static byte[] bytes(String text) {
        return (text.endsWith("\n") ? text : text + "\n").getBytes(StandardCharsets.UTF_8);
    }

    static Told told(Sent sent) {
        StringBuilder text = new StringBuilder();
        List<Json> copies = new ArrayList<>();
        boolean isSafe = true;
        for (Receipt.Copy copy : sent.receipt().copies()) {
            CopyFate fate = CopyFate.of(copy.result());
            String state = state(fate);
            isSafe &= SAFE.contains(state);
            Json.Obj json =
                    Json.obj().put("address", copy.address().toString()).put("state", state);
            text.append(sent.envelope().id().shortForm())
                    .append(" to ")
                    .append(copy.address())
                    .append(": ")
                    .append(state);
            if (!fate.reason().isEmpty()) {
                json = json.put("reason", ShownText.line(fate.reason()));
                text.append(", ").append(ShownText.line(fate.reason()));
            }
            if (copy.result() instanceof SendResult.Refused(var after, var _)) {
                json = json.put("retry_after_s", after.toSeconds());
                text.append("; try again in ").append(after.toSeconds()).append(" s");
            }
            text.append(state.equals(KEPT) ? "; do not send it again\n" : "\n");
            copies.add(json);
        }
        Json.Obj json =
                Json.obj()
                        .put("id", sent.envelope().id().text())
                        .put("expires_at", IsoTime.format(sent.envelope().expiresAt()))
                        .put("to", Json.arr(copies));
        return isSafe ? Told.of(text.toString(), json) : Told.failed(text.toString(), json);
    }

    /// Mail that waits for a lock to go, or for another transport, goes by itself.
    private static String state(CopyFate fate) {
        return switch (fate.state()) {
            case "advisory", "outbox" -> KEPT;
            default -> fate.state();
        };
    }
}
