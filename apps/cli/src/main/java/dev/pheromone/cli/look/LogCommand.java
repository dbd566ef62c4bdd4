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
import dev.pheromone.cli.frame.MailOptions;
import dev.pheromone.cli.frame.Streamed;
import dev.pheromone.cli.frame.Typed;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.rse.Cursor;
import dev.pheromone.rse.RseEntry;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.session.Session;
import dev.pheromone.session.caller.Phrase;
import dev.pheromone.session.hive.OpenHive;
import dev.pheromone.session.look.LogReader;
import dev.pheromone.text.Json;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/// `rsm log`: the event log, with what can't be read in it counted and shown.
public final class LogCommand implements HiveCommand {

    private static final int COUNT_MAX = 1_000_000;

    @Override
    public Spec spec() {
        return Spec.of("log", Group.HUMANS, "shows the event log")
                .opt(Opt.flag("follow", "keep showing new events, until interrupted"))
                .opt(Opt.value("type", "TYPE", "only events of this type").repeated())
                .opt(Opt.value("lane", "LANE", "only in this lane"))
                .opt(Opt.value("actor", "NAME", "only by this actor"))
                .opt(
                        Opt.value(
                                "ref",
                                "ID",
                                "only about the envelope with this id, or whose id ends with it"))
                .opt(Opt.value("since", "TIME", "only after this"))
                .opt(Opt.value("until", "TIME", "only before this"))
                .opt(Opt.value("tail", "N", "only the last N of them"))
                .opt(Opt.value("limit", "N", "only the first N of them, then end"))
                .opt(
                        Opt.value(
                                "after",
                                "CURSOR",
                                "continue after this place, as printed by an earlier call"))
                .note(MailOptions.TIME_NOTE)
                .note(
                        "With --json it prints one object a line, the last one with a cursor for"
                                + " --after; with --follow every line has its cursor. Events that a"
                                + " lock kept out of the log come last, and not with --follow.")
                .example("rsm log --tail 20", "the last twenty events")
                .example("rsm log --since 1h", "what happened in the last hour")
                .example(
                        "rsm log --follow --type worker_ack --json",
                        "every result as it comes, for a program")
                .build();
    }

    @Override
    public Answer run(Invocation call, OpenHive hive) throws IOException {
        if (call.args().has("tail") && call.args().has("limit")) {
            throw new CliException(
                    ErrorCode.USAGE, "--tail and --limit are both given, expected one");
        }
        Args args = call.args();
        LogReader.End end =
                new Session(call, hive)
                        .log(
                                new LogReader.Wish(
                                        args.values("type"),
                                        args.value("lane"),
                                        args.value("actor"),
                                        args.value("ref"),
                                        call.moment("since"),
                                        call.moment("until")),
                                new LogReader.Range(
                                        after(args),
                                        count(args, "limit", Integer.MAX_VALUE),
                                        count(args, "tail", 0),
                                        args.has("follow")),
                                new Lines(call));
        if (call.wantsJson()) {
            Json.Obj json =
                    Json.obj()
                            .put("ok", true)
                            .put("count", end.count())
                            .put("bad", end.bad())
                            .put("more", end.more())
                            .put("cursor", end.cursor().toString());
            call.stream(
                    call.warnings().isEmpty() ? json : json.putTexts("warnings", call.warnings()),
                    "");
        } else if (end.bad() > 0) {
            call.warn(Phrase.count(end.bad(), "line") + " could not be read");
        }
        return new Streamed();
    }

    private static int count(Args args, String option, int otherwise) {
        return args.has(option) ? args.count(option, 1, COUNT_MAX) : otherwise;
    }

    private static @Nullable Cursor after(Args args) {
        String typed = args.value("after");
        try {
            return typed == null ? null : Cursor.parse(typed);
        } catch (IllegalArgumentException e) {
            throw Typed.wrong("option --after", e);
        }
    }

    /// Prints each line of the log as it is read.
    private record Lines(Invocation call) implements LogReader.Log {

        @Override
        public void event(RseEvent event, @Nullable Cursor cursor) {
            Json.Obj json = EventText.json(event);
            call.stream(
                    cursor == null ? json : json.put("cursor", cursor.toString()),
                    EventText.line(event, call.screen()));
        }

        @Override
        public void bad(RseEntry.Bad line) {
            call.stream(
                    Json.obj()
                            .put("bad", true)
                            .put("offset", line.offset())
                            .put("reason", line.reason())
                            .put("excerpt", line.excerpt()),
                    "line at byte "
                            + line.offset()
                            + " is not an event: "
                            + SafeText.line(line.reason() + ": " + line.excerpt()));
        }
    }
}
