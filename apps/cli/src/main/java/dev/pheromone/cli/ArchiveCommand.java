package dev.pheromone.cli;

import dev.pheromone.Domain;
import dev.pheromone.Header;
import dev.pheromone.IsoTime;
import dev.pheromone.Json;
import dev.pheromone.MalformedEnvelopeException;
import dev.pheromone.State;
import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.terminal.Ages;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.cli.terminal.Table;
import dev.pheromone.file.Catalog;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// `rsm archive`: what ended, and how; and the approval of what expired, where a person has to give
/// it.
final class ArchiveCommand implements HiveCommand {

    private static final int LIMIT_MAX = 100_000;
    private static final List<State> STATES =
            List.of(State.DONE, State.EXPIRED, State.DEAD, State.DUPLICATE, State.CONFLICT);

    @Override
    public Spec spec() {
        return Spec.of(
                        "archive",
                        Group.GOVERNANCE,
                        "shows what ended, newest first; approves what expired")
                .optional(
                        "ACTION",
                        "approve: let what is expired move to the archive",
                        List.of("approve"))
                .opt(
                        Opt.choice(
                                "state",
                                "only what ended so",
                                List.of("done", "expired", "dead", "duplicate", "conflict")))
                .opt(
                        Opt.value(
                                "since",
                                "TIME",
                                "only what ended after this: 24h, or 2025-10-15T17:10:00Z"))
                .opt(Opt.value("limit", "N", "at most so many").withFallback("50"))
                .opt(Opt.value("by", "NAME", "who approves, where nobody can be asked"))
                .note(
                        "Nothing is ever deleted. Approval is needed only where hive.yaml says"
                                + " archive: approve, and is for people.")
                .example("rsm archive --state dead --since 7d", "what failed for good this week")
                .example("rsm archive approve", "moves expired mail out of the inboxes")
                .build();
    }

    @Override
    public Answer run(Invocation call, OpenHive hive) throws IOException {
        if (call.args().operand(0) != null) {
            Authority.Person person =
                    new Authority(call, hive).ask("approving the archive", "approve");
            return new Approved(hive.transport().archiveExpired(), person);
        }
        String wanted = call.args().value("state");
        Instant since = call.args().moment("since", call.now());
        int limit = call.args().count("limit", 1, LIMIT_MAX);
        List<Catalog.Item> items = new ArrayList<>();
        for (Domain domain : hive.catalog().domains()) {
            for (State state : STATES) {
                if (wanted == null || wanted.equals(state.toString())) {
                    items.addAll(hive.catalog().archived(domain, state));
                }
            }
        }
        items.removeIf(item -> since != null && ended(item).isBefore(since));
        items.sort(Comparator.comparing(ArchiveCommand::ended).reversed());
        List<Entry> shown = new ArrayList<>();
        for (Catalog.Item item : items.size() > limit ? items.subList(0, limit) : items) {
            shown.add(new Entry(item, header(hive, item)));
        }
        return new Listing(shown, items.size());
    }

    private static Instant ended(Catalog.Item item) {
        return item.since() == null ? Instant.EPOCH : item.since();
    }

    private static @Nullable Header header(OpenHive hive, Catalog.Item item) throws IOException {
        try {
            byte[] bytes = hive.catalog().read(item);
            return Header.parse(bytes, bytes.length);
        } catch (MalformedEnvelopeException | NoSuchFileException e) {
            return null;
        }
    }

    private record Entry(Catalog.Item item, @Nullable Header header) {

        Json.Obj json() {
            Json.Obj json =
                    Json.obj()
                            .put(
                                    "id",
                                    item.id() == null ? Json.Null.NULL : Json.of(item.id().text()))
                            .put("inbox", item.inbox().name())
                            .put("state", item.state().toString())
                            .put("ended_at", IsoTime.format(ended(item)))
                            .put("path", item.location());
            return header == null
                    ? json
                    : json.put("topic", header.topic()).put("from", header.from().name());
        }
    }

    private record Listing(List<Entry> entries, int count) implements Answer {

        @Override
        public Json.Obj json() {
            List<Json> items = new ArrayList<>();
            entries.forEach(entry -> items.add(entry.json()));
            return ListAnswer.whole(items).put("more", count > entries.size());
        }

        @Override
        public void show(Screen screen) {
            if (entries.isEmpty()) {
                screen.line("nothing in the archive");
                return;
            }
            Table table = new Table("ID", "STATE", "INBOX", "TOPIC", "FROM", "ENDED");
            for (Entry entry : entries) {
                Catalog.Item item = entry.item();
                table.row(
                        item.id() == null ? "-" : item.id().shortForm(),
                        item.state().toString(),
                        item.inbox().address().toString(),
                        entry.header() == null ? "(no envelope)" : entry.header().topic(),
                        entry.header() == null ? "-" : entry.header().from().name(),
                        Ages.relative(ended(item), screen.now()));
            }
            screen.table(table);
            if (count > entries.size()) {
                screen.line("… and " + (count - entries.size()) + " more; --limit shows them");
            }
        }

        @Override
        public void showBriefly(Screen screen) {
            entries.forEach(entry -> screen.line(SafeText.line(entry.item().location())));
        }
    }

    private record Approved(int archived, Authority.Person person) implements Answer {

        @Override
        public Json.Obj json() {
            return Json.obj()
                    .put("archived", archived)
                    .put("by", person.name())
                    .put("proof", person.proof());
        }

        @Override
        public void show(Screen screen) {
            screen.line(
                    "archived "
                            + archived
                            + " expired, approved by "
                            + SafeText.line(person.name())
                            + " ("
                            + person.proof()
                            + ")");
        }
    }
}
