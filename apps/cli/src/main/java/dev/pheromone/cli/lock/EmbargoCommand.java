package dev.pheromone.cli.lock;

import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.frame.Answer;
import dev.pheromone.cli.frame.CliException;
import dev.pheromone.cli.frame.ErrorCode;
import dev.pheromone.cli.frame.HiveCommand;
import dev.pheromone.cli.frame.Invocation;
import dev.pheromone.cli.frame.ListAnswer;
import dev.pheromone.cli.frame.PersonsWord;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.cli.terminal.Table;
import dev.pheromone.envelope.ContentHash;
import dev.pheromone.envelope.Envelope;
import dev.pheromone.file.embargo.KeptMail;
import dev.pheromone.session.caller.Ages;
import dev.pheromone.session.hive.Authority;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.mail.Embargo;
import dev.pheromone.session.passkey.Deed;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/// `rsm embargo`: the mail that a lock keeps in the embargo, and its release.
public final class EmbargoCommand implements HiveCommand {

    @Override
    public Spec spec() {
        return Spec.of("embargo", Group.GOVERNANCE, "shows and releases what waits in the embargo")
                .usage("rsm embargo")
                .usage("rsm embargo release [ID...] [--yes] [--by NAME]")
                .optional("ACTION", "release: let it go to its inboxes", List.of("release"))
                .anyNumberOf("ID", "only these; everything if none is named")
                .opt(Opt.flag("yes", "release it; without --yes only what would happen is shown"))
                .opt(Opt.flag("dry-run", "only show what would happen, as without --yes"))
                .opt(Opt.value("by", "NAME", "who releases it, if there is no terminal to ask at"))
                .note(
                        "Mail that is sent under a lock waits in .embargo/inbox/. It stays there"
                                + " until a person releases it; its ttl runs on meanwhile.")
                .example("rsm embargo", "what waits")
                .example("rsm embargo release", "what would happen to it")
                .example("rsm embargo release --yes", "brings it to its inboxes, each once")
                .build();
    }

    @Override
    public Answer run(Invocation call, OpenHive hive) throws IOException {
        Embargo embargo = new Embargo(call, hive);
        List<String> typed = call.args().operands();
        if (typed.isEmpty() && call.args().has("yes")) {
            throw new CliException(ErrorCode.USAGE, "option --yes belongs to release")
                    .fix("rsm embargo release --yes");
        }
        if (call.args().has("yes") && call.args().has("dry-run")) {
            throw new CliException(
                    ErrorCode.USAGE, "--yes and --dry-run are both given, expected one");
        }
        List<String> ids = typed.isEmpty() ? List.of() : typed.subList(1, typed.size());
        List<KeptMail> waiting = embargo.waiting(ids);
        if (!call.args().has("yes")) {
            List<Embargo.Way> ways = new ArrayList<>();
            for (KeptMail mail : waiting) {
                ways.add(embargo.look(mail));
            }
            return new Listing(ways, !typed.isEmpty(), call.now());
        }
        Authority.Person person =
                PersonsWord.ask(
                        call,
                        Authority.underLock(call, hive.layout(), hive.guard()),
                        releasing(contents(waiting)),
                        "release");
        return new Released(embargo.release(waiting), person);
    }

    /// Releasing just this mail: more, or other content, is another deed.
    static Deed releasing(List<String> contents) {
        return Deed.of("release", "embargo", "releasing mail").withAll("mail", contents);
    }

    /// What kept mail there is, and with which content.
    static List<String> contents(List<KeptMail> waiting) {
        return waiting.stream().map(EmbargoCommand::content).sorted().toList();
    }

    private static String content(KeptMail mail) {
        Envelope envelope = mail.envelope();
        return mail.location() + (envelope == null ? "" : " " + ContentHash.of(envelope.bytes()));
    }

    /// Those of `waiting` that are among `contents` still.
    static List<KeptMail> among(List<KeptMail> waiting, List<String> contents) {
        Set<String> known = Set.copyOf(contents);
        return waiting.stream().filter(mail -> known.contains(content(mail))).toList();
    }

    /// The line that says that `count` wait in the embargo, for who might not look there.
    public static String told(int count) {
        return "%d %s in the embargo; to release %s:  rsm embargo release"
                .formatted(count, count == 1 ? "waits" : "wait", count == 1 ? "it" : "them");
    }

    private static Json.Obj json(Embargo.Way way) {
        Envelope envelope = way.mail().envelope();
        Json.Obj json =
                Json.obj()
                        .put("path", way.mail().location())
                        .put("state", way.state())
                        .put("reason", way.reason());
        if (envelope == null) {
            return json;
        }
        List<String> to = new ArrayList<>();
        envelope.to().forEach(address -> to.add(address.toString()));
        return json.put("id", envelope.id().text())
                .put("topic", envelope.topic())
                .put("from", envelope.from().name())
                .putTexts("to", to);
    }

    private static String idOf(KeptMail mail) {
        Envelope envelope = mail.envelope();
        return envelope == null ? "-" : envelope.id().shortForm();
    }

    private static String topicOf(KeptMail mail) {
        Envelope envelope = mail.envelope();
        return envelope == null ? "(no envelope)" : envelope.topic();
    }

    private static String recipientsOf(KeptMail mail) {
        Envelope envelope = mail.envelope();
        List<String> to = new ArrayList<>();
        if (envelope != null) {
            envelope.to().forEach(address -> to.add(address.toString()));
        }
        return String.join(" ", to);
    }

    /// What waits, and what would become of it.
    private record Listing(List<Embargo.Way> ways, boolean isDryRun, Instant now)
            implements Answer {

        @Override
        public Json.Obj json() {
            List<Json> items = new ArrayList<>();
            for (Embargo.Way way : ways) {
                Envelope envelope = way.mail().envelope();
                Json.Obj item = EmbargoCommand.json(way);
                items.add(
                        envelope == null
                                ? item
                                : item.put(
                                        "expires_in_s",
                                        Duration.between(now, envelope.expiresAt()).toSeconds()));
            }
            return ListAnswer.whole(items);
        }

        @Override
        public void show(Screen screen) {
            if (ways.isEmpty()) {
                screen.line("nothing waits in the embargo");
                return;
            }
            Table table = new Table("ID", "TO", "TOPIC", "EXPIRES", "STATE", "WHY");
            for (Embargo.Way way : ways) {
                Envelope envelope = way.mail().envelope();
                table.row(
                        idOf(way.mail()),
                        recipientsOf(way.mail()),
                        topicOf(way.mail()),
                        envelope == null ? "-" : Ages.relative(envelope.expiresAt(), now),
                        way.state(),
                        way.reason());
            }
            screen.table(table);
            if (isDryRun) {
                screen.line("nothing was changed; rsm embargo release --yes releases it");
            }
        }

        @Override
        public void showBriefly(Screen screen) {
            ways.forEach(way -> screen.line(SafeText.line(way.mail().location())));
        }
    }

    /// What became of it.
    record Released(List<Embargo.Way> ways, Authority.Person person) implements Answer {

        @Override
        public Json.Obj json() {
            return ListAnswer.whole(items()).put("by", person.name()).put("proof", person.proof());
        }

        List<Json> items() {
            List<Json> items = new ArrayList<>();
            ways.forEach(way -> items.add(EmbargoCommand.json(way)));
            return items;
        }

        @Override
        public void show(Screen screen) {
            for (Embargo.Way way : ways) {
                screen.line(
                        SafeText.line(
                                "%s %s%s"
                                        .formatted(
                                                idOf(way.mail()),
                                                way.state(),
                                                way.reason().isEmpty()
                                                        ? ", " + recipientsOf(way.mail())
                                                        : ": " + way.reason())));
            }
            if (ways.isEmpty()) {
                screen.line("nothing waits in the embargo");
            }
        }

        @Override
        public @Nullable CliException failure() {
            long stays = ways.stream().filter(Embargo.Way::stays).count();
            boolean conflict = ways.stream().anyMatch(way -> way.state().equals("conflict"));
            Duration later = Duration.ZERO;
            boolean isOnlyLater = true;
            for (Embargo.Way way : ways) {
                Duration after = way.retryAfter();
                isOnlyLater &= !way.stays() || after != null;
                later = after != null && after.compareTo(later) > 0 ? after : later;
            }
            if (stays > 0 && isOnlyLater) {
                return new CliException(
                                ErrorCode.REFUSED,
                                stays + " of " + ways.size() + " stay in the embargo for now")
                        .retryAfter(later)
                        .hint("to try again:")
                        .fix("rsm embargo release --yes");
            }
            if (stays > 0
                    && ways.stream()
                            .filter(Embargo.Way::stays)
                            .allMatch(way -> way.state().equals("withheld"))) {
                return new CliException(
                                ErrorCode.WITHHELD,
                                stays + " of " + ways.size() + " stay in the embargo under a lock")
                        .hint("what waits, and why:")
                        .fix("rsm embargo");
            }
            return stays == 0
                    ? null
                    : new CliException(
                                    conflict ? ErrorCode.CONFLICT : ErrorCode.UNDELIVERED,
                                    stays + " of " + ways.size() + " stay in the embargo")
                            .hint("what waits, and why:")
                            .fix("rsm embargo");
        }
    }
}
