package dev.pheromone.cli.look;

import dev.pheromone.State;
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
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.cli.terminal.Table;
import dev.pheromone.envelope.Header;
import dev.pheromone.session.Session;
import dev.pheromone.session.caller.Ages;
import dev.pheromone.session.hive.ArchivedCopy;
import dev.pheromone.session.hive.Authority;
import dev.pheromone.session.hive.GuardedTransport;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.passkey.Deed;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// `rsm archive`: what ended, and how, here or at another transport; and the approval of what
/// expired, where a person has to give it.
public final class ArchiveCommand implements HiveCommand {

    private static final int LIMIT_MAX = 100_000;

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
        if (call.args().operand(0) != null) {
            if (call.args().has("via")) {
                throw new CliException(
                        ErrorCode.USAGE, "option --via: found approve too, expected one of them");
            }
            Authority.Person person =
                    PersonsWord.ask(
                            call,
                            hive,
                            Deed.of("approve", "archive", "approving the archive"),
                            "approve");
            return new Approved(hive.transport().upkeep().archiveExpired(), person);
        }
        String state = call.args().value("state");
        return new Listing(
                new Session(call, hive)
                        .archive(
                                state == null ? null : State.parse(state),
                                call.moment("since"),
                                call.args().count("limit", 1, LIMIT_MAX)));
    }

    private static Json.Obj json(ArchivedCopy copy) {
        Json.Obj json =
                Json.obj()
                        .put("id", copy.id() == null ? Json.Null.NULL : Json.of(copy.id().text()))
                        .put("inbox", copy.inbox().name())
                        .put("state", copy.state().toString())
                        .put(
                                "ended_at",
                                copy.endedAt() == null
                                        ? Json.Null.NULL
                                        : Json.of(IsoTime.format(copy.endedAt())))
                        .put("path", copy.path());
        Header header = copy.header();
        if (header != null) {
            json = json.put("topic", header.topic()).put("from", header.from().name());
        }
        return copy.reason() == null ? json : json.put("reason", copy.reason());
    }

    /// @param why whether a last cell has the reason
    private static List<String> cells(ArchivedCopy copy, Instant now, boolean why) {
        Header header = copy.header();
        List<String> cells = new ArrayList<>();
        cells.add(copy.id() == null ? "-" : copy.id().shortForm());
        cells.add(copy.state().toString());
        cells.add(copy.inbox().address().toString());
        cells.add(header == null ? "(no envelope)" : header.topic());
        cells.add(header == null ? "-" : header.from().name());
        cells.add(copy.endedAt() == null ? "-" : Ages.relative(copy.endedAt(), now));
        if (why) {
            cells.add(copy.reason() == null ? "-" : copy.reason());
        }
        return cells;
    }

    private record Listing(GuardedTransport.Archived archived) implements Answer {

        @Override
        public Json.Obj json() {
            List<Json> items = new ArrayList<>();
            archived.copies().forEach(copy -> items.add(ArchiveCommand.json(copy)));
            return ListAnswer.whole(items).put("more", archived.count() > archived.copies().size());
        }

        @Override
        public void show(Screen screen) {
            if (archived.copies().isEmpty()) {
                screen.line("nothing in the archive");
                return;
            }
            boolean why = archived.copies().stream().anyMatch(copy -> copy.reason() != null);
            Table table =
                    why
                            ? new Table("ID", "STATE", "INBOX", "TOPIC", "FROM", "ENDED", "WHY")
                            : new Table("ID", "STATE", "INBOX", "TOPIC", "FROM", "ENDED");
            for (ArchivedCopy copy : archived.copies()) {
                table.row(cells(copy, screen.now(), why).toArray(String[]::new));
            }
            screen.table(table);
            if (archived.count() > archived.copies().size()) {
                screen.line(
                        "… and "
                                + (archived.count() - archived.copies().size())
                                + " more; --limit shows them");
            }
        }

        @Override
        public void showBriefly(Screen screen) {
            archived.copies().forEach(copy -> screen.line(SafeText.line(copy.path())));
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
