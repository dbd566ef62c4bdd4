package dev.pheromone.cli.look;

import dev.pheromone.address.Lane;
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
import dev.pheromone.rse.RseReading;
import dev.pheromone.rse.RseTypes;
import dev.pheromone.session.Lanes;
import dev.pheromone.session.OpenHive;
import dev.pheromone.session.Phrase;
import dev.pheromone.text.Json;
import dev.pheromone.text.Nearest;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// `rsm log`: the event log, with what can't be read in it counted and shown.
public final class LogCommand implements HiveCommand {

    private static final int COUNT_MAX = 1_000_000;

    /// How long to sleep at most before the log is looked at again, should a notice be lost.
    private static final Duration WAKE = Duration.ofSeconds(1);

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
        try (RseReading reading = hive.log().read(start(call.args()))) {
            new Walk(call, hive, reading).run();
        }
        return new Streamed();
    }

    /// One way through the log.
    private static final class Walk {

        private final Invocation call;
        private final OpenHive hive;
        private final RseReading reading;
        private final Wish wish;
        private final boolean follow;
        private final int limit;
        private final int tailMax;

        /// Held back until the end is reached, and only the last of them are shown.
        private final Deque<Line> tail = new ArrayDeque<>();

        private final Set<String> types = new TreeSet<>();
        private final Set<Lane> lanes = new HashSet<>();
        private int shown;
        private int bad;

        private record Line(RseEvent event, @Nullable Cursor cursor) {}

        Walk(Invocation call, OpenHive hive, RseReading reading) {
            this.call = call;
            this.hive = hive;
            this.reading = reading;
            this.wish = Wish.of(call);
            this.follow = call.args().has("follow");
            this.limit = counted("limit", Integer.MAX_VALUE);
            this.tailMax = counted("tail", 0);
        }

        private int counted(String option, int otherwise) {
            return call.args().has(option) ? call.args().count(option, 1, COUNT_MAX) : otherwise;
        }

        void run() throws IOException {
            boolean atEnd = false;
            while (shown < limit) {
                Optional<RseEntry> next = follow && atEnd ? reading.next(WAKE) : reading.next();
                if (next.isPresent()) {
                    take(next.get(), atEnd);
                    continue;
                }
                if (!atEnd) {
                    atEnd = true;
                    takeKept();
                    tail.forEach(this::show);
                    tail.clear();
                    warnOfUnknown();
                }
                if (!follow || Thread.currentThread().isInterrupted()) {
                    break;
                }
            }
            end(!atEnd);
        }

        private void take(RseEntry entry, boolean atEnd) throws IOException {
            switch (entry) {
                case RseEntry.Read read -> {
                    types.add(read.event().type());
                    lanes.add(read.event().lane());
                    if (wish.covers(read.event())) {
                        Cursor cursor = follow ? reading.cursor() : null;
                        add(new Line(read.event(), cursor), atEnd);
                    }
                }
                case RseEntry.Bad line -> {
                    bad++;
                    call.stream(
                            badLine(line),
                            "line at byte "
                                    + line.offset()
                                    + " is not an event: "
                                    + SafeText.line(line.reason() + ": " + line.excerpt()));
                }
                case RseEntry.Restart restart ->
                        call.note("the log begins anew: " + restart.reason());
            }
        }

        /// What a lock kept out of the log.
        private void takeKept() throws IOException {
            if (follow) {
                return;
            }
            for (RseEvent event : hive.transport().keptEvents()) {
                types.add(event.type());
                lanes.add(event.lane());
                if (wish.covers(event) && shown < limit) {
                    add(new Line(event, null), false);
                }
            }
        }

        private void add(Line line, boolean atEnd) {
            if (tailMax == 0 || atEnd) {
                show(line);
                return;
            }
            tail.addLast(line);
            if (tail.size() > tailMax) {
                tail.removeFirst();
            }
        }

        private void show(Line line) {
            Json.Obj json = EventText.json(line.event());
            Cursor cursor = line.cursor();
            call.stream(
                    cursor == null ? json : json.put("cursor", cursor.toString()),
                    EventText.line(line.event(), call.screen()));
            shown++;
        }

        /// An empty answer to a mistyped filter looks like a quiet hive. The set of types is open,
        /// so that no type is wrong as such.
        private void warnOfUnknown() {
            if (call.args().has("after")) {
                return;
            }
            for (String typed : call.args().values("type")) {
                if (!RseTypes.ALL.contains(typed) && !types.contains(typed)) {
                    Set<String> known = new TreeSet<>(RseTypes.ALL);
                    known.addAll(types);
                    List<String> nearest = Nearest.to(typed, known);
                    call.warn(
                            "no event in this log is of type "
                                    + typed
                                    + (nearest.isEmpty()
                                            ? "; there are " + Phrase.and(List.copyOf(types))
                                            : "; did you mean " + Phrase.or(nearest) + "?"));
                }
            }
            Lanes.require(hive.config(), call.args().value("lane"), lanes.stream());
        }

        private void end(boolean more) throws IOException {
            if (call.wantsJson()) {
                Json.Obj json =
                        Json.obj()
                                .put("ok", true)
                                .put("count", shown)
                                .put("bad", bad)
                                .put("more", more)
                                .put("cursor", reading.cursor().toString());
                call.stream(
                        call.warnings().isEmpty()
                                ? json
                                : json.putTexts("warnings", call.warnings()),
                        "");
            } else if (bad > 0) {
                call.warn(Phrase.count(bad, "line") + " could not be read");
            }
        }
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
            return new Wish(call.args(), call.moment("since"), call.moment("until"));
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
