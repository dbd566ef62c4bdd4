package dev.pheromone.cli;

import dev.pheromone.Json;
import dev.pheromone.cli.args.Args;
import dev.pheromone.cli.args.Group;
import dev.pheromone.cli.args.Opt;
import dev.pheromone.cli.args.Spec;
import dev.pheromone.cli.terminal.SafeText;
import dev.pheromone.rse.Cursor;
import dev.pheromone.rse.RseEntry;
import dev.pheromone.rse.RseEvent;
import dev.pheromone.rse.RseReading;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/// `rsm log`: the event log, with what can't be read in it counted and shown.
final class LogCommand implements HiveCommand {

    /// How long to sleep at most before the log is looked at again, should a notice be lost.
    private static final Duration WAKE = Duration.ofSeconds(1);

    @Override
    public Spec spec() {
        return Spec.of("log", Group.HUMANS, "shows the event log")
                .opt(Opt.flag("follow", "go on with what is added, until interrupted"))
                .opt(Opt.value("type", "TYPE", "only events of this type").repeated())
                .opt(Opt.value("lane", "LANE", "only in this lane"))
                .opt(Opt.value("actor", "NAME", "only by this actor"))
                .opt(Opt.value("ref", "ID", "only about this envelope, or what ends so"))
                .opt(Opt.value("since", "TIME", "only after this: 24h, or 2025-10-15T17:10:00Z"))
                .opt(Opt.value("until", "TIME", "only before this"))
                .opt(
                        Opt.value(
                                "after",
                                "CURSOR",
                                "go on after this place, as an earlier call printed it"))
                .note(
                        "With --json it prints one object a line, the last one with a cursor for"
                                + " --after; with --follow every line has its cursor. What was told"
                                + " while a lock kept it out of the log comes last, without"
                                + " --follow.")
                .example("rsm log --since 1h", "what happened in the last hour")
                .example(
                        "rsm log --follow --type worker_ack --json",
                        "every result as it comes, for a program")
                .build();
    }

    @Override
    public Answer run(Invocation call, OpenHive hive) throws IOException {
        boolean follow = call.args().has("follow");
        Wish wish = Wish.of(call);
        int shown = 0;
        int bad = 0;
        try (RseReading reading = hive.log().read(start(call.args()))) {
            while (true) {
                Optional<RseEntry> next = follow ? reading.next(WAKE) : reading.next();
                if (next.isEmpty()) {
                    if (!follow || Thread.currentThread().isInterrupted()) {
                        break;
                    }
                    continue;
                }
                switch (next.get()) {
                    case RseEntry.Read read -> {
                        if (wish.covers(read.event())) {
                            show(call, read.event(), follow ? reading.cursor() : null);
                            shown++;
                        }
                    }
                    case RseEntry.Bad line -> {
                        bad++;
                        call.stream(
                                badLine(line),
                                "line at byte "
                                        + line.offset()
                                        + " is no event: "
                                        + SafeText.line(line.reason() + ": " + line.excerpt()));
                    }
                    case RseEntry.Restart restart ->
                            call.note("the log begins anew: " + restart.reason());
                }
            }
            if (!follow) {
                for (RseEvent event : hive.transport().keptEvents()) {
                    if (wish.covers(event)) {
                        show(call, event, null);
                        shown++;
                    }
                }
            }
            if (call.wantsJson()) {
                call.stream(
                        Json.obj()
                                .put("ok", true)
                                .put("count", shown)
                                .put("bad", bad)
                                .put("cursor", reading.cursor().toString()),
                        "");
            } else if (bad > 0) {
                call.warn(bad + " lines could not be read");
            }
        }
        return new Streamed();
    }

    private static void show(Invocation call, RseEvent event, @Nullable Cursor cursor) {
        Json.Obj json = EventText.json(event);
        call.stream(
                cursor == null ? json : json.put("cursor", cursor.toString()),
                EventText.line(event, call.screen()));
    }

    private static Json.Obj badLine(RseEntry.Bad line) {
        return Json.obj()
                .put("bad", true)
                .put("offset", line.offset())
                .put("reason", line.reason())
                .put("excerpt", line.excerpt());
    }

    private static Cursor start(Args args) {
        String typed = args.value("after");
        try {
            return typed == null ? Cursor.START : Cursor.parse(typed);
        } catch (IllegalArgumentException e) {
            throw Typed.wrong("option --after", e);
        }
    }

    /// Which events are wanted.
    private record Wish(Args args, @Nullable Instant since, @Nullable Instant until) {

        static Wish of(Invocation call) {
            return new Wish(
                    call.args(),
                    call.args().moment("since", call.now()),
                    call.args().moment("until", call.now()));
        }

        boolean covers(RseEvent event) {
            String lane = args.value("lane");
            String actor = args.value("actor");
            String ref = args.value("ref");
            return (args.values("type").isEmpty() || args.values("type").contains(event.type()))
                    && (lane == null || lane.equalsIgnoreCase(event.lane().name()))
                    && (actor == null || actor.equalsIgnoreCase(event.actor()))
                    && (ref == null || isAbout(event, ref.toUpperCase(Locale.ROOT)))
                    && (since == null || !event.ts().isBefore(since))
                    && (until == null || event.ts().isBefore(until));
        }

        private static boolean isAbout(RseEvent event, String ref) {
            return event.about()
                    .filter(about -> about.toUpperCase(Locale.ROOT).endsWith(ref))
                    .isPresent();
        }
    }
}
