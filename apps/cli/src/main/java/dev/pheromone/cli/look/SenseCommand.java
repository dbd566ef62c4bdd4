package dev.pheromone.cli.look;

import dev.pheromone.cli.args.Args;
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
import dev.pheromone.cli.frame.OutputClosedException;
import dev.pheromone.cli.frame.Screen;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.cli.terminal.Table;
import dev.pheromone.file.log.LogTurn;
import dev.pheromone.hive.Forager;
import dev.pheromone.hive.Pheromone;
import dev.pheromone.rse.RseEvent.PheromoneDrop;
import dev.pheromone.session.Session;
import dev.pheromone.session.caller.Ages;
import dev.pheromone.session.caller.Lanes;
import dev.pheromone.session.caller.Pause;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.text.IsoTime;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/// `rsm sense`: the signals that have not faded, strongest first.
public final class SenseCommand implements HiveCommand {

    /// A turn lasts as long as it takes to read the log; beyond this something is wrong.
    private static final Duration TURN_WAIT_MAX = Duration.ofSeconds(10);

    private static final Duration TURN_PAUSE = Duration.ofMillis(10);
    private static final Duration TURN_RETRY_AFTER = Duration.ofSeconds(5);

    @Override
    public Spec spec() {
        return Spec.of("sense", Group.AGENTS, "shows the live signals, strongest first")
                .opt(Opt.value("lane", "LANE", "only in this lane"))
                .opt(Opt.value("topic", "TEXT", "only topics with this text in them"))
                .opt(Opt.choice("priority", "only drops of this class", MailOptions.PRIORITIES))
                .opt(Opt.value("ref", "TEXT", "only drops that refer to this"))
                .opt(Opt.value("tag", "TAG", "only with this tag").repeated())
                .opt(
                        Opt.flag(
                                "select",
                                "take the strongest that nobody has acted on since its newest"
                                        + " drop"))
                .opt(MailOptions.state())
                .note(
                        "Drops that announce mail are not shown: rsm inbox shows the mail. Nobody"
                            + " else gets what --select takes, until somebody drops it again. Exit"
                            + " 4: there is nothing to take.")
                .example("rsm sense --lane Bugs", "the live signals about bugs")
                .example("rsm sense --select", "something to do, when no mail says what")
                .build();
    }

    @Override
    public Answer run(Invocation call, OpenHive hive) throws IOException {
        Forager forager = new Forager(hive.log(), hive.config().halfLife(), call.actor());
        Predicate<PheromoneDrop> wanted = drop -> isWanted(drop, call.args());
        String lane = call.args().value("lane");
        if (lane != null) {
            Lanes.require(
                    hive.config(),
                    lane,
                    forager.sensed(drop -> true, call.now()).stream().map(Pheromone::lane));
        }
        if (!call.args().has("select")) {
            if (call.args().has("state")) {
                throw new CliException(
                                ErrorCode.USAGE,
                                "option --state goes with --select: a look leaves no event")
                        .fix(call.line().plus("--select").toString());
            }
            return new Sensed(new Session(call, hive).sense(wanted), call.now());
        }
        try (Closeable _ = turn(hive)) {
            // Asked only now: what was dropped while this waited is not in the future.
            Instant now = call.now();
            return forager.take(wanted, call.args().value("state"), now)
                    .map(find -> new Taken(find, now))
                    .orElseThrow(SenseCommand::nothing);
        }
    }

    /// The turn to choose, waited for while others choose.
    private static Closeable turn(OpenHive hive) throws IOException {
        LogTurn turn = LogTurn.foraging(hive.layout(), hive.guard());
        for (Duration waited = Duration.ZERO;
                waited.compareTo(TURN_WAIT_MAX) < 0;
                waited = waited.plus(TURN_PAUSE)) {
            Optional<Closeable> begun = turn.tryBegin();
            if (begun.isPresent()) {
                return begun.get();
            }
            Pause.of(TURN_PAUSE);
        }
        throw new CliException(
                        ErrorCode.REFUSED,
                        "others have been choosing for "
                                + TURN_WAIT_MAX.toSeconds()
                                + " s; nothing was taken")
                .retryAfter(TURN_RETRY_AFTER);
    }

    private static CliException nothing() {
        return new CliException(
                ErrorCode.NOTHING, "nothing to take: no signal that nobody has acted on");
    }

    private static boolean isWanted(PheromoneDrop drop, Args args) {
        String topic = args.value("topic");
        return matches(args.value("lane"), drop.lane().name())
                && matches(args.value("priority"), drop.priority().name())
                && matches(args.value("ref"), drop.about().orElse(""))
                && (topic == null || drop.topic().contains(topic))
                && drop.tags().containsAll(args.values("tag"));
    }

    private static boolean matches(@Nullable String wanted, String found) {
        return wanted == null || wanted.equalsIgnoreCase(found);
    }

    /// What programs are told of `pheromone`.
    static Json.Obj json(Pheromone pheromone, Instant now) {
        return Json.obj()
                .put("topic", pheromone.topic())
                .put("lane", pheromone.lane().name())
                .put("strength", Math.round(pheromone.strength() * 1000) / 1000.0)
                .put("drops", pheromone.drops())
                .put("newest_at", IsoTime.format(pheromone.newestAt()))
                .put("expires_in_s", pheromone.expiresIn(now).toSeconds());
    }

    private record Taken(Forager.Find find, Instant now) implements Answer {

        @Override
        public Json.Obj json() {
            return SenseCommand.json(find.pheromone(), now).put("rationale", find.rationale());
        }

        @Override
        public CliException unwritten(Invocation call, OutputClosedException why) {
            return new CliException(
                            ErrorCode.IO,
                            why.described()
                                    + "; \""
                                    + find.pheromone().topic()
                                    + "\" in "
                                    + find.pheromone().lane().name()
                                    + " is yours all the same")
                    .hint("whoever drops it again lets others take it");
        }

        @Override
        public void show(Screen screen) {
            screen.line(
                    "yours: \""
                            + SafeText.line(find.pheromone().topic())
                            + "\" in "
                            + SafeText.line(find.pheromone().lane().name())
                            + " ("
                            + find.rationale()
                            + ")");
        }

        @Override
        public void showBriefly(Screen screen) {
            screen.line(SafeText.line(find.pheromone().topic()));
        }
    }

    private record Sensed(List<Pheromone> pheromones, Instant now) implements Answer {

        @Override
        public Json.Obj json() {
            List<Json> items = new ArrayList<>();
            for (Pheromone pheromone : pheromones) {
                items.add(SenseCommand.json(pheromone, now));
            }
            return ListAnswer.whole(items);
        }

        @Override
        public void show(Screen screen) {
            if (pheromones.isEmpty()) {
                screen.line("nothing to sense");
                return;
            }
            Table table = new Table("STRENGTH", "TOPIC", "LANE", "DROPS", "NEWEST", "GONE");
            for (Pheromone pheromone : pheromones) {
                long tenths = Math.round(pheromone.strength() * 10);
                table.row(
                        tenths / 10 + "." + tenths % 10,
                        pheromone.topic(),
                        pheromone.lane().name(),
                        String.valueOf(pheromone.drops()),
                        Ages.relative(pheromone.newestAt(), now),
                        Ages.relative(pheromone.expiresAt(), now));
            }
            screen.table(table);
        }

        @Override
        public void showBriefly(Screen screen) {
            pheromones.forEach(pheromone -> screen.line(SafeText.line(pheromone.topic())));
        }
    }
}
