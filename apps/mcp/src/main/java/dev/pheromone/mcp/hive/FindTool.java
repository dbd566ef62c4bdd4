package dev.pheromone.mcp.hive;

import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.mcp.Call;
import dev.pheromone.session.Session;
import dev.pheromone.session.caller.Ages;
import dev.pheromone.session.caller.ProblemException;
import dev.pheromone.session.caller.ProblemException.Code;
import dev.pheromone.session.look.Search;
import dev.pheromone.session.look.Story;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;
import dev.pheromone.text.ShownText;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

/// `find`: text in mail and events, or all that happened to one envelope.
final class FindTool implements Tool {

    private static final int LIMIT = 20;
    private static final int LIMIT_MAX = 100;

    @Override
    public Told run(Session session, Arguments said, Setting setting, Call call)
            throws IOException {
        String text = said.text("text");
        String traced = said.text("trace");
        if ((text == null || text.isEmpty()) == (traced == null)) {
            throw new ProblemException(Code.USAGE, "expected one of text and trace");
        }
        Instant now = setting.caller().now();
        int limit = said.count("limit", LIMIT, LIMIT_MAX);
        return traced != null
                ? traced(session.trace(traced), limit, now)
                : found(
                        session.search(String.valueOf(text), EnumSet.allOf(Search.Place.class)),
                        limit,
                        now);
    }

    private static Told found(List<Search.Hit> hits, int limit, Instant now) {
        StringBuilder text = new StringBuilder();
        List<Json> items = new ArrayList<>();
        for (Search.Hit hit : hits) {
            if (items.size() == limit) {
                text.append("and ").append(hits.size() - limit).append(" more; limit shows them\n");
                break;
            }
            String id = EnvelopeId.isId(hit.id()) ? EnvelopeId.parse(hit.id()).shortForm() : "-";
            text.append(id)
                    .append("  ")
                    .append(hit.place())
                    .append("  ")
                    .append(Ages.relative(hit.at(), now))
                    .append("  | ")
                    .append(ShownText.line(hit.topic()))
                    .append(" | ")
                    .append(ShownText.line(hit.excerpt()))
                    .append('\n');
            items.add(
                    Json.obj()
                            .put("id", ShownText.line(hit.id()))
                            .put("in", hit.place().toString())
                            .put("topic", ShownText.line(hit.topic()))
                            .put("at", IsoTime.format(hit.at()))
                            .put("excerpt", ShownText.line(hit.excerpt())));
        }
        return Told.of(
                items.isEmpty() ? "nothing found\n" : text.toString(),
                Json.obj().put("items", Json.arr(items)).put("more", hits.size() > limit));
    }

    private static Told traced(Session.Trace trace, int limit, Instant now) {
        StringBuilder text = new StringBuilder();
        List<Json> places = new ArrayList<>();
        for (Session.Traced copy : trace.copies()) {
            String inbox = copy.copy().inbox().address().toString();
            text.append(trace.id().shortForm())
                    .append(" is ")
                    .append(copy.copy().state())
                    .append(" in ")
                    .append(inbox)
                    .append('\n');
            places.add(Json.obj().put("inbox", inbox).put("state", copy.copy().state().toString()));
        }
        List<Json> steps = new ArrayList<>();
        List<Story.Chapter> chapters = trace.chapters();
        int start = Math.max(0, chapters.size() - limit);
        if (start > 0) {
            text.append(start).append(" earlier steps; limit shows them\n");
        }
        for (Story.Chapter chapter : chapters.subList(start, chapters.size())) {
            text.append(Ages.relative(chapter.at(), now))
                    .append("  ")
                    .append(ShownText.line(chapter.what()))
                    .append("  by ")
                    .append(ShownText.line(chapter.actor()))
                    .append("  (")
                    .append(chapter.source().word())
                    .append(")\n");
            steps.add(
                    Json.obj()
                            .put("at", IsoTime.format(chapter.at()))
                            .put("what", ShownText.line(chapter.what()))
                            .put("actor", ShownText.line(chapter.actor()))
                            .put("source", chapter.source().word()));
        }
        return Told.of(
                text.toString(),
                Json.obj()
                        .put("id", trace.id().text())
                        .put("copies", Json.arr(places))
                        .put("steps", Json.arr(steps)));
    }
}
