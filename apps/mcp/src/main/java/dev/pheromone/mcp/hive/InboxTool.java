package dev.pheromone.mcp.hive;

import dev.pheromone.State;
import dev.pheromone.address.Address;
import dev.pheromone.envelope.Header;
import dev.pheromone.mcp.Call;
import dev.pheromone.selection.Waiting;
import dev.pheromone.session.Session;
import dev.pheromone.session.caller.Ages;
import dev.pheromone.session.hive.ArchivedCopy;
import dev.pheromone.session.hive.GuardedTransport;
import dev.pheromone.session.look.InboxView;
import dev.pheromone.text.Json;
import dev.pheromone.text.ShownText;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// `inbox`: what waits, or what died, without taking it.
final class InboxTool implements Tool {

    private static final int LIMIT = 20;
    private static final int LIMIT_MAX = 100;
    private static final int TOPIC_LENGTH_MAX = 100;

    @Override
    public Told run(Session session, Arguments said, Setting setting, Call call)
            throws IOException {
        int limit = said.count("limit", LIMIT, LIMIT_MAX);
        Address of = said.address("of");
        return "dead".equals(said.text("state"))
                ? dead(session, of, limit)
                : waiting(session, of, limit, setting.caller().now());
    }

    private static Told waiting(Session session, @Nullable Address of, int limit, Instant now)
            throws IOException {
        InboxView view = session.inbox(of, new InboxView.Filter(null, null, null));
        StringBuilder text = new StringBuilder();
        text.append(view.inbox().address())
                .append(": ")
                .append(view.mail().size())
                .append(" waiting\n");
        List<Json> items = new ArrayList<>();
        for (Waiting.Mail mail : view.mail()) {
            if (items.size() == limit) {
                text.append("and more; limit shows them\n");
                break;
            }
            String signature = session.signature(view.inbox(), mail).orElse("");
            if (!signature.isEmpty()) {
                Header header = mail.header();
                items.add(row(header, proven(signature), now, text));
            }
        }
        return Told.of(
                text.toString(),
                Json.obj()
                        .put("inbox", view.inbox().address().toString())
                        .put("waiting", view.mail().size())
                        .put("items", Json.arr(items)));
    }

    private static String proven(String signature) {
        return switch (signature) {
            case "valid" -> "proven";
            case "bad" -> "forged";
            default -> "unproven";
        };
    }

    private static Json.Obj row(Header header, String proof, Instant now, StringBuilder text) {
        String topic = topic(header.topic());
        text.append(header.id().shortForm())
                .append("  ")
                .append(header.priority())
                .append("  ")
                .append(Ages.span(Duration.between(header.ts(), now)))
                .append("  from ")
                .append(ShownText.line(header.from().name()))
                .append(" (")
                .append(proof)
                .append(")  topic: ")
                .append(topic)
                .append('\n');
        return Json.obj()
                .put("id", header.id().text())
                .put("priority", header.priority().name())
                .put("topic", topic)
                .put("from", header.from().name())
                .put("proof", proof)
                .put("age_s", Math.max(0, Duration.between(header.ts(), now).toSeconds()));
    }

    private static String topic(String topic) {
        String shown = ShownText.line(topic);
        return shown.length() <= TOPIC_LENGTH_MAX
                ? shown
                : shown.substring(0, TOPIC_LENGTH_MAX) + "…";
    }

    private static Told dead(Session session, @Nullable Address of, int limit) throws IOException {
        GuardedTransport.Archived archived = session.archive(State.DEAD, null, LIMIT_MAX);
        StringBuilder text = new StringBuilder();
        List<Json> items = new ArrayList<>();
        for (ArchivedCopy copy : archived.copies()) {
            Header header = copy.header();
            if (header == null
                    || items.size() == limit
                    || (of != null && !copy.inbox().equals(of.domain()))) {
                continue;
            }
            String reason = copy.reason() == null ? "" : ShownText.line(copy.reason());
            text.append(header.id().shortForm())
                    .append("  ")
                    .append(copy.inbox().address())
                    .append("  ")
                    .append(reason)
                    .append("  topic: ")
                    .append(topic(header.topic()))
                    .append('\n');
            items.add(
                    Json.obj()
                            .put("id", header.id().text())
                            .put("inbox", copy.inbox().address().toString())
                            .put("topic", topic(header.topic()))
                            .put("reason", reason));
        }
        return Told.of(
                items.isEmpty() ? "no dead mail\n" : text.toString(),
                Json.obj().put("items", Json.arr(items)));
    }
}
