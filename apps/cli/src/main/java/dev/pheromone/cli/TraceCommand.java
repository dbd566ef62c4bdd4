package dev.pheromone.cli;

import dev.pheromone.Domain;
import dev.pheromone.EnvelopeId;
import dev.pheromone.IsoTime;
import dev.pheromone.Json;
import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.terminal.Ages;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.cli.terminal.Style;
import dev.pheromone.cli.terminal.Table;
import dev.pheromone.file.Catalog;
import dev.pheromone.session.ClaimNames;
import dev.pheromone.session.EventWalk;
import dev.pheromone.session.Lookup;
import dev.pheromone.session.OpenHive;
import dev.pheromone.session.Story;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/// `rsm trace`: everything known of one envelope, in the order it happened, with a gap marked as a
/// gap.
final class TraceCommand implements HiveCommand {

    @Override
    public Spec spec() {
        return Spec.of("trace", Group.HUMANS, "shows everything known of one envelope, in order")
                .required("ID", "the envelope, or the last characters of its id")
                .note(
                        "It combines the event log with the files themselves. A step that files"
                                + " prove but no event records is marked as a gap.")
                .example("rsm trace k3f9x2", "what happened to it")
                .build();
    }

    @Override
    public Answer run(Invocation call, OpenHive hive) throws IOException {
        List<Catalog.Item> copies = new Lookup(hive).copies(String.valueOf(call.args().operand(0)));
        EnvelopeId id = Objects.requireNonNull(copies.getFirst().id());
        Story story = new Story(id);
        new EventWalk(hive).forEach(story::addEvent);
        List<Domain> inboxes = new ArrayList<>();
        for (Catalog.Item copy : copies) {
            if (!inboxes.contains(copy.inbox())) {
                inboxes.add(copy.inbox());
                story.addHistory(copy.inbox(), hive.catalog().history(copy.inbox(), id));
            }
        }
        return new Traced(id, copies, places(id, copies, hive), story.chapters());
    }

    /// Where each copy is; of one that somebody has, what names the claim is enough.
    private static List<String> places(EnvelopeId id, List<Catalog.Item> copies, OpenHive hive)
            throws IOException {
        List<String> places = new ArrayList<>();
        for (Catalog.Item copy : copies) {
            Catalog.Held claim = copy.claim();
            places.add(
                    claim == null
                            ? SafeText.line(copy.location())
                            : "as "
                                    + new ClaimNames(hive).of(copy.inbox(), id, claim)
                                    + ", with "
                                    + claim.worker());
        }
        return places;
    }

    /// @param places where each copy is, in their order
    private record Traced(
            EnvelopeId id,
            List<Catalog.Item> copies,
            List<String> places,
            List<Story.Chapter> chapters)
            implements Answer {

        @Override
        public Json.Obj json() {
            List<Json> places = new ArrayList<>();
            for (Catalog.Item copy : copies) {
                places.add(
                        Json.obj()
                                .put("inbox", copy.inbox().name())
                                .put("state", copy.state().toString())
                                .put("path", copy.location()));
            }
            List<Json> items = new ArrayList<>();
            int gaps = 0;
            for (Story.Chapter chapter : chapters) {
                gaps += chapter.isGap() ? 1 : 0;
                items.add(
                        Json.obj()
                                .put("at", IsoTime.format(chapter.at()))
                                .put("source", chapter.source().word())
                                .put("what", chapter.what())
                                .put("actor", chapter.actor())
                                .put("data", chapter.data()));
            }
            return ListAnswer.whole(items)
                    .put("id", id.text())
                    .put("copies", Json.arr(places))
                    .put("gaps", gaps);
        }

        @Override
        public void show(Screen screen) {
            screen.line("envelope " + id);
            for (int i = 0; i < copies.size(); i++) {
                Catalog.Item copy = copies.get(i);
                screen.line(copy.state() + " in " + copy.inbox().address() + "  " + places.get(i));
            }
            Table table = new Table("WHEN", "WHAT", "WHO", "DETAILS");
            for (Story.Chapter chapter : chapters) {
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
