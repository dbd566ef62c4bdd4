package dev.pheromone.cli.look;

import dev.pheromone.Ended;
import dev.pheromone.State;
import dev.pheromone.address.Domain;
import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.HiveCommand;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.ListAnswer;
import dev.pheromone.cli.frame.MailOptions;
import dev.pheromone.cli.frame.PersonsWord;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.terminal.Ages;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.cli.terminal.Table;
import dev.pheromone.envelope.EnvelopeId;
import dev.pheromone.envelope.Header;
import dev.pheromone.envelope.MalformedEnvelopeException;
import dev.pheromone.file.Catalog;
import dev.pheromone.session.Authority;
import dev.pheromone.session.GuardedTransport;
import dev.pheromone.session.OpenHive;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// `rsm archive`: what ended, and how, here or at another transport; and the approval of what
/// expired, where a person has to give it.
public final class ArchiveCommand implements HiveCommand {

    private static final int LIMIT_MAX = 100_000;

    /// How much of what ended at another transport is looked at; each may be a question to it.
    private static final int LOOKED_AT_MAX = 1_000;

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
                        "approve: move what has expired to the archive",
                        List.of("approve"))
                .opt(
                        Opt.choice(
                                "state",
                                "only what ended in this state",
                                List.of("done", "expired", "dead", "duplicate", "conflict")))
                .opt(Opt.value("since", "TIME", "only what ended after this"))
                .opt(Opt.value("limit", "N", "show at most N").withFallback("50"))
                .opt(Opt.value("by", "NAME", "who approves it, if there is no terminal to ask at"))
                .opt(
                        MailOptions.via(
                                "what ended at this transport of hive.yaml; what is done is not"
                                        + " kept there"))
                .note(MailOptions.TIME_NOTE)
                .note(
                        "Nothing is ever deleted. Approval is needed only where hive.yaml says"
                                + " archive: approve, and is for people.")
                .example("rsm archive --state dead --since 7d", "what failed for good this week")
                .example("rsm archive --via team", "what a broker keeps of mail that ended badly")
                .example("rsm archive approve", "moves expired mail out of the inboxes")
                .build();
    }

    @Override
    public Answer run(Invocation call, OpenHive hive) throws IOException {
        GuardedTransport transport = hive.mail();
        if (call.args().operand(0) != null) {
            if (transport.name().isPresent()) {
                throw new CliException(
                        ErrorCode.USAGE, "option --via: found approve too, expected one of them");
            }
            Authority.Person person =
                    PersonsWord.ask(call, hive, "approving the archive", "approve");
            return new Approved(hive.transport().archiveExpired(), person);
        }
        String wanted = call.args().value("state");
        Instant since = call.moment("since");
        int limit = call.args().count("limit", 1, LIMIT_MAX);
        if (transport.name().isPresent()) {
            return there(transport, wanted, since, limit);
        }
        List<Catalog.Item> items = new ArrayList<>();
        for (Domain domain : hive.catalog().domains()) {
            for (State state : STATES) {
                if (isWanted(wanted, state)) {
                    items.addAll(hive.catalog().archived(domain, state));
                }
            }
        }
        items.removeIf(item -> since != null && ended(item).isBefore(since));
        items.sort(Comparator.comparing(ArchiveCommand::ended).reversed());
        List<Entry> shown = new ArrayList<>();
        for (Catalog.Item item : items.size() > limit ? items.subList(0, limit) : items) {
            shown.add(
                    new Entry(
                            item.id(),
                            item.inbox(),
                            item.state(),
                            ended(item),
                            item.location(),
                            header(hive, item),
                            reason(hive, item)));
        }
        return new Listing(shown, items.size());
    }

    private static boolean isWanted(@Nullable String wanted, State state) {
        return wanted == null || wanted.equals(state.toString());
    }

    /// What another side keeps. When it ended may not be known: then no time leaves it out.
    private static Answer there(
            GuardedTransport transport, @Nullable String wanted, @Nullable Instant since, int limit)
            throws IOException {
        Optional<List<Ended>> all = transport.ended(LOOKED_AT_MAX);
        if (all.isEmpty()) {
            throw new CliException(
                            ErrorCode.USAGE,
                            "transport "
                                    + transport.name().orElse("")
                                    + ": it does not show what ended there, expected NATS or MQTT")
                    .hint("where the hive is served, in its own folder:  rsm archive");
        }
        List<Entry> entries = new ArrayList<>();
        for (Ended one : all.get()) {
            boolean isOld = since != null && one.at() != null && one.at().isBefore(since);
            if (isWanted(wanted, one.state()) && !isOld) {
                entries.add(
                        new Entry(
                                one.id(),
                                one.inbox(),
                                one.state(),
                                one.at(),
                                one.location(),
                                one.header(),
                                one.reason()));
            }
        }
        return new Listing(
                entries.size() > limit ? entries.subList(0, limit) : entries, entries.size());
    }

    /// Why mail is dead or in conflict, or expired on its way to another transport, where it may
    /// have arrived, as whoever ended it noted; null if nobody did.
    private static @Nullable String reason(OpenHive hive, Catalog.Item item) throws IOException {
        EnvelopeId id = item.id();
        if (id == null) {
            return null;
        }
        boolean isTold =
                switch (item.state()) {
                    case DEAD, CONFLICT -> true;
                    case EXPIRED -> hive.catalog().endedOnTheWayTo(item.inbox(), id).isPresent();
                    case WAITING, ACTIVE, DONE, DUPLICATE -> false;
                };
        if (!isTold) {
            return null;
        }
        String reason = hive.catalog().reason(item.inbox(), id);
        return reason.isEmpty() ? null : reason;
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

    /// @param endedAt null if nobody knows
    /// @param reason why it ended so; null if nobody noted it
    private record Entry(
            @Nullable EnvelopeId id,
            Domain inbox,
            State state,
            @Nullable Instant endedAt,
            String path,
            @Nullable Header header,
            @Nullable String reason) {

        Json.Obj json() {
            Json.Obj json =
                    Json.obj()
                            .put("id", id == null ? Json.Null.NULL : Json.of(id.text()))
                            .put("inbox", inbox.name())
                            .put("state", state.toString())
                            .put(
                                    "ended_at",
                                    endedAt == null
                                            ? Json.Null.NULL
                                            : Json.of(IsoTime.format(endedAt)))
                            .put("path", path);
            if (header != null) {
                json = json.put("topic", header.topic()).put("from", header.from().name());
            }
            return reason == null ? json : json.put("reason", reason);
        }

        /// @param why whether a last cell has the reason
        List<String> cells(Instant now, boolean why) {
            List<String> cells = new ArrayList<>();
            cells.add(id == null ? "-" : id.shortForm());
            cells.add(state.toString());
            cells.add(inbox.address().toString());
            cells.add(header == null ? "(no envelope)" : header.topic());
            cells.add(header == null ? "-" : header.from().name());
            cells.add(endedAt == null ? "-" : Ages.relative(endedAt, now));
            if (why) {
                cells.add(reason == null ? "-" : reason);
            }
            return cells;
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
            boolean why = entries.stream().anyMatch(entry -> entry.reason() != null);
            Table table =
                    why
                            ? new Table("ID", "STATE", "INBOX", "TOPIC", "FROM", "ENDED", "WHY")
                            : new Table("ID", "STATE", "INBOX", "TOPIC", "FROM", "ENDED");
            for (Entry entry : entries) {
                table.row(entry.cells(screen.now(), why).toArray(String[]::new));
            }
            screen.table(table);
            if (count > entries.size()) {
                screen.line("… and " + (count - entries.size()) + " more; --limit shows them");
            }
        }

        @Override
        public void showBriefly(Screen screen) {
            entries.forEach(entry -> screen.line(SafeText.line(entry.path())));
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
            screen.line("archived " + archived + " expired (" + SafeText.line(person.told()) + ")");
        }
    }
}
