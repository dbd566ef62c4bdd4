package dev.pheromone.cli.look;

import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.HiveCommand;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.ListAnswer;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.cli.terminal.Table;
import dev.pheromone.session.Session;
import dev.pheromone.session.caller.Ages;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.look.Search;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/// `rsm search`: text in bodies, topics and events, without case.
public final class SearchCommand implements HiveCommand {

    private static final int LIMIT_MAX = 10_000;

    @Override
    public Spec spec() {
        return Spec.of("search", Group.HUMANS, "finds text in bodies, topics and events")
                .required("TEXT", "what to look for; upper and lower case are the same")
                .opt(Opt.choice("in", "only there", List.of("inbox", "archive", "log")).repeated())
                .opt(Opt.value("limit", "N", "show at most N").withFallback("50"))
                .note(
                        "Words in TEXT narrow it: from:ACTOR, to:ADDRESS, lane:LANE, state:STATE"
                            + " (waiting, active, done, expired, dead, duplicate, conflict), id:ID,"
                            + " is:unsigned, before:TIME (7d, 2025-10-15, which begins in UTC, or"
                            + " 2025-10-15T17:10:00Z). Such words alone find all of that kind.")
                .example("rsm search parser", "everything that mentions the parser")
                .example("rsm search \"parser from:ci state:dead\"", "what failed of what ci sent")
                .example("rsm search --in archive \"main is red\"", "only mail that is finished")
                .build();
    }

    @Override
    public Answer run(Invocation call, OpenHive hive) throws IOException {
        int limit = call.args().count("limit", 1, LIMIT_MAX);
        Set<Search.Place> places = EnumSet.noneOf(Search.Place.class);
        for (Search.Place place : Search.Place.values()) {
            if (!call.args().has("in") || call.args().values("in").contains(place.toString())) {
                places.add(place);
            }
        }
        List<Search.Hit> hits =
                new Session(call, hive).search(String.valueOf(call.args().operand(0)), places);
        return new Found(hits.size() > limit ? hits.subList(0, limit) : hits, hits.size());
    }

    private static Json.Obj json(Search.Hit hit) {
        Json.Obj json =
                Json.obj()
                        .put("in", hit.place().toString())
                        .put("id", hit.id())
                        .put("topic", hit.topic())
                        .put("at", IsoTime.format(hit.at()))
                        .put("excerpt", hit.excerpt());
        return hit.location().isEmpty() ? json : json.put("path", hit.location());
    }

    private record Found(List<Search.Hit> hits, int count) implements Answer {

        @Override
        public Json.Obj json() {
            List<Json> items = new ArrayList<>();
            hits.forEach(hit -> items.add(SearchCommand.json(hit)));
            return ListAnswer.whole(items).put("more", count > hits.size());
        }

        @Override
        public void show(Screen screen) {
            if (hits.isEmpty()) {
                screen.line("nothing found");
                return;
            }
            Table table = new Table("ID", "IN", "WHEN", "TOPIC", "TEXT");
            for (Search.Hit hit : hits) {
                String id =
                        hit.id().length() > 6
                                ? hit.id().substring(hit.id().length() - 6).toLowerCase(Locale.ROOT)
                                : hit.id();
                table.row(
                        id,
                        hit.place().toString(),
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
