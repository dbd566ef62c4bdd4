package dev.pheromone.cli.look;

import dev.pheromone.address.Domain;
import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.HiveCommand;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.ListAnswer;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.mail.QuestionScreen;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.cli.terminal.Style;
import dev.pheromone.cli.terminal.Table;
import dev.pheromone.file.upkeep.Catalog;
import dev.pheromone.session.Session;
import dev.pheromone.session.caller.Ages;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.look.Legs;
import dev.pheromone.session.look.Story;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// `rsm trace`: everything known of one envelope, in the order it happened, with a gap marked as a
/// gap.
public final class TraceCommand implements HiveCommand {

    @Override
    public Spec spec() {
        return Spec.of("trace", Group.HUMANS, "shows everything known of one envelope, in order")
                .required("ID", "the envelope, or the last characters of its id")
                .note(
                        "It combines the event log with the files themselves. A step that files"
                                + " prove but no event records is marked as a gap. For each copy"
                                + " it says how far it came: stored, announced to a session, handed"
                                + " over by a hook, seen by a model, taken, done; each by evidence"
                                + " of its own.")
                .example("rsm trace k3f9x2", "what happened to it")
                .build();
    }

    @Override
    public Answer run(Invocation call, OpenHive hive) throws IOException {
        return new Traced(new Session(call, hive).trace(String.valueOf(call.args().operand(0))));
    }

    private record Traced(Session.Trace trace) implements Answer {

        /// Where a copy is; of one that somebody has, what names the claim is enough.
        private static String place(Session.Traced traced) {
            Catalog.Held claim = traced.copy().claim();
            return claim == null
                    ? SafeText.line(traced.copy().location())
                    : "as " + traced.claimName() + ", with " + claim.worker();
        }

        private List<Json> legs(Domain inbox) {
            List<Json> legs = new ArrayList<>();
            for (Legs.Leg leg : Legs.Leg.values()) {
                Legs.Proof proof = trace.legs().proof(inbox, leg);
                Json.Obj json =
                        Json.obj().put("leg", leg.toString()).put("evidence", proof != null);
                legs.add(
                        proof == null
                                ? json
                                : json.put("at", IsoTime.format(proof.at()))
                                        .put("actor", proof.actor())
                                        .put("by", proof.by()));
            }
            return legs;
        }

        /// Which legs have evidence, and which have none.
        private String evidence(Domain inbox, Screen screen) {
            List<String> with = new ArrayList<>();
            List<String> without = new ArrayList<>();
            for (Legs.Leg leg : Legs.Leg.values()) {
                Legs.Proof proof = trace.legs().proof(inbox, leg);
                if (proof == null) {
                    without.add(leg.words());
                } else {
                    with.add(leg.words() + " " + Ages.relative(proof.at(), screen.now()));
                }
            }
            return "  "
                    + String.join(", ", with)
                    + (with.isEmpty() ? "" : without.isEmpty() ? "" : "; ")
                    + (without.isEmpty() ? "" : "no evidence: " + String.join(", ", without));
        }

        @Override
        public Json.Obj json() {
            List<Json> places = new ArrayList<>();
            for (Session.Traced traced : trace.copies()) {
                Catalog.Item copy = traced.copy();
                places.add(
                        Json.obj()
                                .put("inbox", copy.inbox().name())
                                .put("state", copy.state().toString())
                                .put("path", copy.location())
                                .put("legs", Json.arr(legs(copy.inbox()))));
            }
            List<Json> items = new ArrayList<>();
            int gaps = 0;
            for (Story.Chapter chapter : trace.chapters()) {
                gaps += chapter.isGap() ? 1 : 0;
                items.add(
                        Json.obj()
                                .put("at", IsoTime.format(chapter.at()))
                                .put("source", chapter.source().word())
                                .put("what", chapter.what())
                                .put("actor", chapter.actor())
                                .put("data", chapter.data()));
            }
            Json.Obj json =
                    ListAnswer.whole(items)
                            .put("id", trace.id().text())
                            .put("copies", Json.arr(places))
                            .put("gaps", gaps);
            return trace.question() == null ? json : json.put("question", trace.question().json());
        }

        @Override
        public void show(Screen screen) {
            screen.line("envelope " + trace.id());
            for (Session.Traced traced : trace.copies()) {
                Catalog.Item copy = traced.copy();
                screen.line(copy.state() + " in " + copy.inbox().address() + "  " + place(traced));
                screen.line(evidence(copy.inbox(), screen));
            }
            if (trace.question() != null) {
                screen.line("question  " + QuestionScreen.state(trace.question(), screen));
            }
            Table table = new Table("WHEN", "WHAT", "WHO", "DETAILS");
            for (Story.Chapter chapter : trace.chapters()) {
                String details = EventText.data(withoutWhatIsKnown(chapter.data()));
                table.row(
                        Table.Cell.of(Ages.relative(chapter.at(), screen.now())),
                        new Table.Cell(
                                chapter.what(), chapter.isGap() ? Style.YELLOW : Style.PLAIN),
                        Table.Cell.of(chapter.actor()),
                        Table.Cell.of(details));
            }
            screen.table(table);
        }

        /// The details that are not the same in every line.
        private static Json.Obj withoutWhatIsKnown(Json.Obj data) {
            Json.Obj rest = data;
            for (String name : List.of("id", "ref", "hash", "path", "to", "claim")) {
                rest = rest.without(name);
            }
            return rest;
        }
    }
}
