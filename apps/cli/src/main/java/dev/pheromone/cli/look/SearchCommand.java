package dev.pheromone.cli.look;

import dev.pheromone.address.Domain;
import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.HiveCommand;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.ListAnswer;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.terminal.Ages;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.cli.terminal.Table;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.envelope.MalformedEnvelopeException;
import dev.pheromone.file.upkeep.Catalog;
import dev.pheromone.session.EventWalk;
import dev.pheromone.session.OpenHive;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// `rsm search`: text in bodies, topics and events, without case.
public final class SearchCommand implements HiveCommand {

    private static final int LIMIT_MAX = 10_000;
    private static final int EXCERPT_LENGTH = 80;

    @Override
    public Spec spec() {
        return Spec.of("search", Group.HUMANS, "finds text in bodies, topics and events")
                .required("TEXT", "what to look for; upper and lower case are the same")
                .opt(Opt.choice("in", "only there", List.of("inbox", "archive", "log")).repeated())
                .opt(Opt.value("limit", "N", "show at most N").withFallback("50"))
                .example("rsm search parser", "everything that mentions the parser")
                .example("rsm search --in archive \"main is red\"", "only mail that is finished")
                .build();
    }

    @Override
    public Answer run(Invocation call, OpenHive hive) throws IOException {
        String wanted = String.valueOf(call.args().operand(0)).toLowerCase(Locale.ROOT);
        int limit = call.args().count("limit", 1, LIMIT_MAX);
        List<String> places = call.args().values("in");
        List<Hit> hits = new ArrayList<>();
        for (Domain domain : hive.transport().domains()) {
            for (Catalog.Item item : hive.catalog().all(domain)) {
                String place = item.state().isFinal() ? "archive" : "inbox";
                if (places.isEmpty() || places.contains(place)) {
                    searchMail(hive, item, place, wanted, hits);
                }
            }
        }
        if (places.isEmpty() || places.contains("log")) {
            new EventWalk(hive)
                    .forEach(event -> {
                        String text =
                                event.type()
                                        + " "
                                        + event.actor()
                                        + " "
                                        + EventText.data(event.data());
                        int at = text.toLowerCase(Locale.ROOT).indexOf(wanted);
                        if (at >= 0) {
                            hits.add(
                                    new Hit(
                                            "log",
                                            event.about().orElse(""),
                                            event.type(),
                                            event.ts(),
                                            excerpt(text, at),
                                            ""));
                        }
                    });
        }
        return new Found(hits.size() > limit ? hits.subList(0, limit) : hits, hits.size());
    }

    private static void searchMail(
            OpenHive hive, Catalog.Item item, String place, String wanted, List<Hit> hits)
            throws IOException {
        byte[] bytes;
        try {
            bytes = hive.catalog().read(item);
        } catch (NoSuchFileException e) {
            // It moved while we looked.
            return;
        }
        Envelope envelope;
        try {
            envelope = Envelope.parse(bytes);
        } catch (MalformedEnvelopeException e) {
            searchOther(new String(bytes, StandardCharsets.UTF_8), item, place, wanted, hits);
            return;
        }
        for (String text : List.of(envelope.topic(), envelope.bodyText())) {
            int at = text.toLowerCase(Locale.ROOT).indexOf(wanted);
            if (at >= 0) {
                hits.add(
                        new Hit(
                                place,
                                envelope.id().text(),
                                envelope.topic(),
                                envelope.ts(),
                                excerpt(text, at),
                                item.location()));
                return;
            }
        }
    }

    /// What is no envelope may still be what somebody looks for.
    private static void searchOther(
            String text, Catalog.Item item, String place, String wanted, List<Hit> hits) {
        int at = text.toLowerCase(Locale.ROOT).indexOf(wanted);
        if (at >= 0) {
            hits.add(
                    new Hit(
                            place,
                            item.id() == null ? "" : item.id().text(),
                            "(no envelope)",
                            item.since() == null ? Instant.EPOCH : item.since(),
                            excerpt(text, at),
                            item.location()));
        }
    }

    /// Some of the text around the place that was found, on one line.
    private static String excerpt(String text, int at) {
        int start = Math.max(0, Math.min(at - EXCERPT_LENGTH / 4, text.length() - EXCERPT_LENGTH));
        int end = Math.min(text.length(), start + EXCERPT_LENGTH);
        return text.substring(start, end).replaceAll("\\s+", " ").strip();
    }

    private record Hit(
            String in, String id, String topic, Instant at, String excerpt, String path) {

        Json.Obj json() {
            Json.Obj hit =
                    Json.obj()
                            .put("in", in)
                            .put("id", id)
                            .put("topic", topic)
                            .put("at", IsoTime.format(at))
                            .put("excerpt", excerpt);
            return path.isEmpty() ? hit : hit.put("path", path);
        }
    }

    private record Found(List<Hit> hits, int count) implements Answer {

        @Override
        public Json.Obj json() {
            List<Json> items = new ArrayList<>();
            hits.forEach(hit -> items.add(hit.json()));
            return ListAnswer.whole(items).put("more", count > hits.size());
        }

        @Override
        public void show(Screen screen) {
            if (hits.isEmpty()) {
                screen.line("nothing found");
                return;
            }
            Table table = new Table("ID", "IN", "WHEN", "TOPIC", "TEXT");
            for (Hit hit : hits) {
                String id =
                        hit.id().length() > 6
                                ? hit.id().substring(hit.id().length() - 6).toLowerCase(Locale.ROOT)
                                : hit.id();
                table.row(
                        id,
                        hit.in(),
                        Ages.relative(hit.at(), screen.now()),
                        hit.topic(),
                        hit.excerpt());
            }
            screen.table(table);
            if (count > hits.size()) {
                screen.line("… and " + (count - hits.size()) + " more; --limit shows them");
            }
        }

        @Override
        public void showBriefly(Screen screen) {
            hits.forEach(hit -> screen.line(SafeText.line(hit.id())));
        }
    }
}
