package dev.pheromone.cli.mail;

import dev.pheromone.address.Actor;
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
import dev.pheromone.cli.frame.Typed;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.cli.terminal.Table;
import dev.pheromone.file.admission.Mute;
import dev.pheromone.session.Session;
import dev.pheromone.session.caller.Ages;
import dev.pheromone.session.hive.Authority;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.passkey.Deed;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/// `rsm mute`: holds a sender's mail back for a while, for people.
public final class MuteCommand implements HiveCommand {

    @Override
    public Spec spec() {
        return Spec.of("mute", Group.GOVERNANCE, "keeps a sender's mail aside for a while")
                .usage("rsm mute")
                .usage("rsm mute ACTOR [--for 1h] [--reason TEXT] [--by NAME]")
                .usage("rsm mute ACTOR --off [--by NAME]")
                .optional("ACTOR", "whose mail; without it, shows who is muted")
                .opt(Opt.value("for", "DURATION", "for how long").withFallback("1h"))
                .opt(Opt.value("reason", "TEXT", "why, shown to whoever asks"))
                .opt(Opt.flag("off", "lift it, and deliver what was kept"))
                .opt(Opt.value("by", "NAME", "who decides, if there is no terminal to ask at"))
                .note(
                        "Mail of a muted sender is neither lost nor refused: it is kept in"
                                + " .deia/outbox/muted/, what waits already included, and comes to"
                                + " its inbox when the mute ends. Its ttl runs on meanwhile.")
                .example("rsm mute claude-7f3a --for 30m", "quiet for half an hour")
                .example("rsm mute", "who is muted, and how much mail is held back")
                .example("rsm mute claude-7f3a --off", "lets everything through")
                .build();
    }

    @Override
    public Answer run(Invocation call, OpenHive hive) throws IOException {
        String typed = call.args().operand(0);
        if (typed == null) {
            return listing(call, hive);
        }
        Actor actor;
        try {
            actor = Actor.parse(typed);
        } catch (IllegalArgumentException e) {
            throw Typed.wrong("ACTOR", e);
        }
        Duration length = Objects.requireNonNull(call.args().duration("for"));
        return call.args().has("off") || length.isZero()
                ? lift(call, hive, actor)
                : set(call, hive, actor, length);
    }

    private static Answer set(Invocation call, OpenHive hive, Actor actor, Duration length)
            throws IOException {
        String reason = call.args().value("reason");
        Authority.Person person =
                PersonsWord.ask(
                        call,
                        hive,
                        Deed.mute(actor)
                                .with("for", length.toString())
                                .with("reason", reason == null ? "" : reason),
                        "mute");
        Session.Muted muted =
                new Session(call, hive).mute(actor, length, reason == null ? "" : reason, person);
        return new Muted(muted.mute(), muted.kept(), person, call.now());
    }

    private static Answer lift(Invocation call, OpenHive hive, Actor actor) throws IOException {
        Authority.Person person = PersonsWord.ask(call, hive, Deed.unmute(actor), "unmute");
        if (new Session(call, hive).unmute(actor, person).isEmpty()) {
            throw new CliException(ErrorCode.NO_SUCH_LOCK, actor + " is not muted")
                    .hint("who is:")
                    .fix("rsm mute");
        }
        return new Lifted(actor, person);
    }

    private static Listing listing(Invocation call, OpenHive hive) throws IOException {
        return new Listing(new Session(call, hive).muted(), call.now());
    }

    private static Json.Obj json(Mute mute) {
        return Json.obj()
                .put("actor", mute.actor().name())
                .put("since_at", IsoTime.format(mute.since()))
                .put("until_at", IsoTime.format(mute.until()))
                .put("reason", mute.reason())
                .put("by", mute.by());
    }

    /// @param kept how many copies that waited were put aside
    private record Muted(Mute mute, int kept, Authority.Person person, Instant now)
            implements Answer {

        @Override
        public Json.Obj json() {
            return MuteCommand.json(mute)
                    .put("muted", true)
                    .put("proof", person.proof())
                    .put("kept", kept);
        }

        @Override
        public void show(Screen screen) {
            screen.line(
                    "%s is muted for %s (%s)"
                            .formatted(
                                    mute.actor(),
                                    Ages.span(Duration.between(now, mute.until())),
                                    SafeText.line(person.told())));
            if (kept > 0) {
                screen.line("kept " + kept + " that waited; they come back when it ends");
            }
        }

        @Override
        public void showBriefly(Screen screen) {
            screen.line(mute.actor().name());
        }
    }

    private record Lifted(Actor actor, Authority.Person person) implements Answer {

        @Override
        public Json.Obj json() {
            return Json.obj()
                    .put("actor", actor.name())
                    .put("muted", false)
                    .put("by", person.name())
                    .put("proof", person.proof());
        }

        @Override
        public void show(Screen screen) {
            screen.line(
                    "%s is no longer muted (%s)".formatted(actor, SafeText.line(person.told())));
        }

        @Override
        public void showBriefly(Screen screen) {
            screen.line(actor.name());
        }
    }

    private record Listing(List<Session.Muted> rows, Instant now) implements Answer {

        @Override
        public Json.Obj json() {
            List<Json> items = new ArrayList<>();
            rows.forEach(row -> items.add(MuteCommand.json(row.mute()).put("kept", row.kept())));
            return ListAnswer.whole(items);
        }

        @Override
        public void show(Screen screen) {
            if (rows.isEmpty()) {
                screen.line("nobody is muted");
                return;
            }
            Table table = new Table("MUTED", "UNTIL", "KEPT", "BY", "REASON");
            for (Session.Muted row : rows) {
                table.row(
                        row.mute().actor().name(),
                        Ages.relative(row.mute().until(), now),
                        String.valueOf(row.kept()),
                        row.mute().by(),
                        row.mute().reason().isEmpty() ? "-" : row.mute().reason());
            }
            screen.table(table);
        }

        @Override
        public void showBriefly(Screen screen) {
            rows.forEach(row -> screen.line(row.mute().actor().name()));
        }
    }
}
